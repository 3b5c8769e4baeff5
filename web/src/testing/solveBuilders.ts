/** Test data; not imported by the page. */
import type {
  EventView,
  LaneView,
  PlaceEntry,
  SolveView,
  UpdatesView,
  WatchedSolve,
} from "@/api/types";
import { verdictOf } from "@/testing/verdicts";

export const T0 = 1_800_000_000;

export function aLane(over: Partial<LaneView> = {}): LaneView {
  return {
    id: "run-a",
    handle: "opus-t0.0-test-first",
    state: "running",
    phase: "working",
    cause: null,
    error: "",
    attempt: 1,
    rev: 1,
    steps: 4,
    step_limit: 20,
    edits: 1,
    cost_usd: 0.02,
    tokens: 100,
    started_at: T0,
    submitted_at: null,
    finished_at: null,
    elapsed_ms: 0,
    last_action: "pytest -q",
    files_changed: 1,
    lines: 8,
    verdict: null,
    verdict_summary: "",
    tests: null,
    rank: null,
    marks: [],
    url: "/api/runs/run-a",
    ...over,
  };
}

export function aSolve(over: Partial<WatchedSolve> = {}): WatchedSolve {
  return {
    state: "running",
    champion: null,
    cost_usd: 0.5,
    cost_cap_usd: 10,
    created_at: T0 - 5,
    started_at: T0 - 2,
    finished_at: null,
    deadline_at: null,
    reason: "",
    progress: {
      total: 2,
      queued: 0,
      running: 2,
      verifying: 0,
      completed: 0,
      failed: 0,
      cancelled: 0,
    },
    ...over,
  };
}

export function anEvent(id: number, kind: string, at: number, to?: string): EventView {
  return { id, at, kind, run_id: null, data: to ? { to } : {} };
}

export function aPlace(over: Partial<PlaceEntry> = {}): PlaceEntry {
  return {
    rank: 1,
    handle: "opus-t0.0-test-first",
    run_id: "run-a",
    state: "completed",
    cause: null,
    verdict: verdictOf({
      evidence: { proved_by: ["tests/test_x.py::test_1"], executed: 1, baseline_executed: 1 },
    }),
    size: 1,
    same_as: null,
    files_changed: 1,
    lines_changed: 8,
    cost_usd: 0.02,
    latency_ms: 31_000,
    why: "passed: test_1 goes from red to green; 1 file, 8 lines",
    ...over,
  };
}

export function anUpdate(over: Partial<UpdatesView> = {}): UpdatesView {
  return {
    cursor: "c1",
    epoch: "e",
    server_time: Date.now() / 1000,
    poll_ms: 0,
    terminal: true,
    reset: true,
    more: false,
    solve: aSolve(),
    lanes: [],
    events: [],
    messages: {},
    resets: [],
    unknown: [],
    ...over,
  };
}

export function someFacts(over: Partial<SolveView> = {}): SolveView {
  const { progress } = aSolve();
  return {
    can_apply: true,
    cannot_apply_because: "",
    applied: null,
    dismissed: null,
    solve: {
      id: "solve-1",
      state: "running",
      repo: "ada/passbook",
      issue: "Two purchases",
      cost_usd: 0.5,
      elapsed_s: 9,
      champion: null,
      folder: "/home/ada/passbook",
    },
    ranking: [],
    questions: [],
    not_started: [],
    reason: "",
    budget_ended: null,
    blocked: [],
    partial: "",
    progress,
    matrix: { models: [], temperatures: [], max_edits: [], strategies: [], agents: [] },
    budget: {
      max_parallel: 4,
      max_contestants: 36,
      time_budget_s: 100,
      run_time_budget_s: 100,
      max_steps: 20,
      cost_cap_micros: 1,
      run_cost_cap_micros: 1,
    },
    runs: [],
    events: [],
    conversation_id: null,
    issue_title: "Two equal purchases",
    issue_body: "One is lost.",
    issue_number: 12,
    issue_facts: null,
    origin: null,
    publication: null,
    repo_url: "",
    publish: null,
    base_branch: "main",
    base_commit: "",
    reducer: "simple",
    require_proof: true,
    test_command: "pytest",
    error: "",
    created_at: T0,
    started_at: T0,
    finished_at: null,
    deadline_at: null,
    links: {},
    ...over,
  };
}
