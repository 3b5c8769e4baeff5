import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { expect, test } from "vitest";
import type { Examination } from "@/api/types";
import { DoctorReport } from "@/features/settings/DoctorReport";
import { serve } from "@/testing/fakeServer";

type Backend = Examination["sandboxes"][number];

function aBackend(over: Partial<Backend>): Backend {
  return {
    name: "bubblewrap",
    default: true,
    usable: true,
    isolated: true,
    detail: "isolated; starts in 21 ms; 2 processors",
    set_up: true,
    version: "",
    limits: "2 processors",
    start_ms: 21,
    guarantees: [],
    ...over,
  };
}

test("shows a backend that is not set up differently from a broken one", async () => {
  const other = { default: false, usable: false, isolated: false };
  serve({
    "GET /api/doctor": {
      version: "1",
      ready: true,
      findings: [],
      sandboxes: [
        aBackend({}),
        aBackend({ ...other, name: "e2b", set_up: false, detail: "set E2B_API_KEY" }),
        aBackend({ ...other, name: "prime", detail: "the key was refused" }),
      ],
    },
  });
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={client}>
      <MemoryRouter>
        <DoctorReport />
      </MemoryRouter>
    </QueryClientProvider>,
  );
  const line = (name: string) => screen.getByText(new RegExp(`sandbox ${name}`));
  await screen.findByText(/sandbox bubblewrap/);
  expect(line("bubblewrap")).toHaveTextContent(
    "✓good: sandbox bubblewrap (default): isolated; starts in 21 ms; 2 processors",
  );
  expect(line("e2b")).toHaveTextContent("–not set up: sandbox e2b: set E2B_API_KEY");
  expect(line("e2b")).toHaveClass("text-muted");
  expect(line("prime")).toHaveTextContent("✗problem: sandbox prime: the key was refused");
});
