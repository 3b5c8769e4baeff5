import type { RunView, SolveView, Verdict } from "@/api/types";

type Evidence = Verdict["evidence"];

/** Builds a verdict from the parts that a test needs. */
export function verdictOf(
  parts: Partial<Omit<Verdict, "evidence">> & { evidence?: Partial<Evidence> } = {},
): Verdict {
  return {
    status: "passed",
    proof: "none",
    tied: false,
    convicted_by: [],
    not_run: [],
    same_as: "",
    agreement: 1,
    rules: 0,
    fixed: [],
    broken: [],
    flaky: [],
    missing: [],
    tampered: [],
    summary: "",
    ...parts,
    evidence: {
      proved_by: [],
      weighed: [],
      changed_expectations: [],
      faster: [],
      joined: "",
      unsteady: [],
      support: 0,
      failures: 0,
      size: 0,
      own_tests: [],
      valid_tests: [],
      own_failed: [],
      cross_passed: [],
      cross_failed: [],
      withheld: [],
      values: [],
      executed: 10,
      baseline_executed: 10,
      ...parts.evidence,
    },
  };
}

export function runOf(handle: string, parts: Partial<RunView> = {}): RunView {
  return {
    id: `0190a000-0000-7000-8000-${handle.padStart(12, "0")}`,
    position: 0,
    handle,
    contestant: {
      agent: "mini-swe",
      model: `maker/${handle}`,
      temperature: 0.2,
      max_edits: 6,
      strategy: "balanced",
      handle,
      author: "",
    },
    state: "completed",
    cause: null,
    error: "",
    attempt: 1,
    exit_status: "Submitted",
    api_calls: 3,
    edits: 1,
    edits_capped: false,
    message_count: 6,
    tokens: { input: 0, cached: 0, output: 0 },
    cost_usd: 0.5,
    earlier_cost_usd: 0,
    latency_ms: 2000,
    files_changed: 1,
    lines_changed: 5,
    verdict: verdictOf(),
    rank: 1,
    why: "",
    queued_at: 0,
    started_at: 1,
    submitted_at: 2,
    finished_at: 3,
    deadline_at: null,
    links: {},
    ...parts,
  };
}

export function solveOf(runs: RunView[], parts: Partial<SolveView> = {}): SolveView {
  const known: Partial<SolveView> = {
    solve: {
      id: "solve-1",
      state: "awaiting_review",
      repo: "o/r",
      issue: "An issue",
      cost_usd: 1,
      elapsed_s: 10,
      champion: runs[0]?.id ?? null,
    },
    runs,
    ranking: [],
    reason: "",
    events: [],
    reducer: "simple",
    issue_title: "An issue",
    ...parts,
  };
  // Fields that no test reads are left out.
  return known as SolveView;
}
