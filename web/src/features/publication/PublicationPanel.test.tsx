import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createMemoryRouter, RouterProvider } from "react-router";
import { expect, test } from "vitest";
import type { EventView, SolveView } from "@/api/types";
import { anOutcome, aPublication, eventsOf } from "@/features/publication/builders";
import { PublicationPanel } from "@/features/publication/PublicationPanel";
import { Refused, serve, signedIn } from "@/testing/fakeServer";
import { PAYLOADS } from "@/testing/payloads";
import { aPlace, aSolve, someFacts } from "@/testing/solveBuilders";

const SOLVE = aSolve({ state: "awaiting_review", champion: "run-a" });
const OF_FORGE = { repo_url: "https://github.com/octo/passbook", ranking: [aPlace()] };
const HERE = "/api/solves/solve-1";

function panel(facts: Partial<SolveView>, events: readonly EventView[] = []) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  client.setQueryData(["me"], signedIn());
  const shown = (now: readonly EventView[]) => {
    const all = someFacts({ ...OF_FORGE, ...facts });
    const element = <PublicationPanel solveId="solve-1" solve={SOLVE} facts={all} events={now} />;
    const router = createMemoryRouter([{ path: "*", element }]);
    return (
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    );
  };
  const { rerender, container } = render(shown(events));
  return { container, again: (now: readonly EventView[]) => rerender(shown(now)) };
}

test("is hidden for a solve of a folder", () => {
  serve({});
  const { container } = panel({ repo_url: "" });
  expect(container.querySelector("section")).toBeNull();
});

test("shows the steps and the account before publishing, and the server's refusal", async () => {
  const responses: Record<string, unknown> = {
    [`POST ${HERE}/publish`]: new Refused(409, "solve 1 was opened with `publish: never`"),
  };
  const requests = serve(responses);
  panel({});
  const user = userEvent.setup();
  await user.click(screen.getByRole("button", { name: "Open pull request" }));
  const dialog = screen.getByRole("dialog");
  expect(dialog).toHaveTextContent("octo/passbook");
  expect(dialog).toHaveTextContent("a comment on #12");
  expect(dialog).toHaveTextContent("in your name, ada");
  expect(requests).toEqual([]);
  const press = within(dialog).getByRole("button", { name: "Open pull request" });
  await user.click(press);
  expect(await within(dialog).findByRole("alert")).toHaveTextContent("publish: never");
  responses[`POST ${HERE}/publish`] = aPublication({ state: "requested", pull_number: null });
  await user.click(press);
  expect(await screen.findByRole("list", { name: "Steps of publishing" })).toBeVisible();
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("shows number, state, branch, commit and comment of a pull request as links to the forge", async () => {
  serve({ [`GET ${HERE}/outcomes`]: { pull: null, outcomes: [anOutcome()] } });
  panel({ publication: aPublication() });
  expect(screen.getByRole("heading", { name: "Pull request #5" })).toBeVisible();
  expect(screen.getByText("○ draft")).toBeVisible();
  for (const link of screen.getAllByRole("link")) {
    expect(link).toHaveAttribute("rel", "noopener noreferrer");
    expect(link.getAttribute("href")).toMatch(/^https:\/\/github\.com\/octo\/passbook\//);
  }
  expect(await screen.findByText(/by bob, into main/)).toBeVisible();
  expect(screen.queryByRole("button", { name: /pull request/ })).toBeNull();
});

test("shows no link to any other site", () => {
  serve({});
  panel({
    publication: aPublication({
      pull_url: "https://evil.example/pull/5",
      comment_url: "javascript:alert(1)",
      repo_url: "https://evil.example/octo/passbook",
    }),
  });
  expect(screen.queryAllByRole("link")).toEqual([]);
});

test.each([
  ["refused", /^No pull request was opened\. Fix/],
  ["stale", /^The base branch has changed/],
] as const)("shows the reason, the next step and a retry when %s", async (state, next) => {
  const requests = serve({ [`POST ${HERE}/publish`]: aPublication({ state: "requested" }) });
  panel({
    publication: aPublication({ state, reason: "a workflow is changed", pull_number: null }),
  });
  expect(screen.getByRole("alert")).toHaveTextContent("a workflow is changed");
  expect(screen.getByText(next)).toBeVisible();
  expect(screen.queryAllByRole("link", { name: "Solve again" })).toHaveLength(
    state === "stale" ? 1 : 0,
  );
  const user = userEvent.setup();
  await user.click(screen.getByRole("button", { name: "Try again" }));
  await user.click(screen.getByRole("button", { name: "Open pull request" }));
  await waitFor(() => expect(requests.map(({ route }) => route)).toContain(`POST ${HERE}/publish`));
});

test("shows why publishing is delayed and when it is retried", () => {
  serve({});
  const due = Date.now() / 1000 + 30;
  const error = "the forge cannot be reached";
  panel({ publication: aPublication({ state: "pushed", error, tries: 2, due_at: due }) });
  expect(screen.getByText(/Tried 2 times/)).toHaveTextContent(
    /cannot be reached; retrying in (29|30)s/,
  );
});

test("asks about a suspected revert and shows its evidence", async () => {
  const suspected = anOutcome({
    id: 9,
    kind: "suspected_revert",
    waits: true,
    by: "",
    evidence: { sign: "content", commit: "e".repeat(40) },
  });
  const list = (over: object) => ({ pull: null, outcomes: [{ ...suspected, ...over }] });
  const responses: Record<string, unknown> = { [`GET ${HERE}/outcomes`]: list({}) };
  responses[`POST ${HERE}/outcomes/9/confirm`] = () => {
    responses[`GET ${HERE}/outcomes`] = list({ waits: false, confirmed: false });
    return responses[`GET ${HERE}/outcomes`];
  };
  const requests = serve(responses);
  panel({ publication: aPublication() });
  expect(await screen.findByText(/its content undoes the change/)).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "It is not a revert" }));
  expect(await screen.findByText(/denied by a person/)).toBeVisible();
  expect(screen.queryByRole("button", { name: "It is a revert" })).toBeNull();
  expect(requests.find(({ route }) => route.endsWith("/confirm"))?.body).toEqual({
    is_revert: false,
  });
});

test("refetches at once when a new event arrives", async () => {
  const responses: Record<string, unknown> = {
    [`GET ${HERE}/publication`]: aPublication({ state: "pushed", pull_number: null }),
  };
  serve(responses);
  const started = eventsOf("publication.requested");
  const { again } = panel(
    { publication: aPublication({ state: "pushed", pull_number: null }) },
    started,
  );
  responses[`GET ${HERE}/publication`] = aPublication({ updated_at: 1_900_000_000 });
  again(eventsOf("publication.requested", "publication.opened"));
  expect(await screen.findByRole("heading", { name: "Pull request #5" })).toBeVisible();
});

test("shows text written by others as text", async () => {
  const text = PAYLOADS.join(" ");
  serve({ [`GET ${HERE}/outcomes`]: { pull: null, outcomes: [anOutcome({ by: text })] } });
  const { container } = panel({
    publication: aPublication({ state: "refused", reason: text, pull_title: text, branch: text }),
  });
  await screen.findByText("Merged", { exact: false });
  expect(container.querySelector("script, img, svg, iframe, form, style, meta")).toBeNull();
  for (const link of container.querySelectorAll("a[target]")) {
    expect(link.getAttribute("href")).toMatch(/^https:\/\/github\.com\//);
  }
});
