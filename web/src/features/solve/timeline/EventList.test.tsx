import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { EventList } from "@/features/solve/timeline/EventList";
import { piecesOf } from "@/lib/hostile";
import { PAYLOADS } from "@/testing/payloads";
import { aLane, anEvent, T0 } from "@/testing/solveBuilders";

function blocked(host: string) {
  const data = { host, port: 443, phase: "agent" };
  return { ...anEvent(1, "network.blocked", T0), run_id: "run-a", data };
}

test("shows a blocked connection with its contestant", () => {
  render(<EventList events={[blocked("evil.example")]} lanes={new Map([["run-a", aLane()]])} />);
  expect(screen.getByRole("listitem")).toHaveTextContent(
    "opus-t0.0-test-first a connection was blocked: evil.example:443, in the agent phase",
  );
});

test.each(PAYLOADS)("shows the host name %j as text", (host) => {
  const { container } = render(<EventList events={[blocked(host)]} lanes={new Map()} />);
  expect(container.querySelector("script, img, iframe, a, svg, style, form, object")).toBeNull();
  expect(container.textContent).toContain(", in the agent phase");
  expect(piecesOf(container.textContent ?? "").filter((piece) => piece.hidden)).toEqual([]);
});
