// Generated from the registries of `src/yudai` by `make gen`: do not edit.
import type { components } from "./schema";
import type { BackendName, ProofKind, Strategy } from "./types";

export const BACKENDS: readonly BackendName[] = ["bubblewrap", "process", "container", "e2b", "prime"];

export const STRATEGIES: readonly { name: Strategy; line: string }[] = [
  {
    "name": "balanced",
    "line": "Reproduce, name the root cause, test, fix, run everything"
  },
  {
    "name": "test-first",
    "line": "No code is touched before a new test of the issue is red"
  },
  {
    "name": "stacktrace-first",
    "line": "From the failure inwards, frame by frame, to the bad value"
  },
  {
    "name": "small-steps",
    "line": "One edit at a time, each one tested before the next"
  },
  {
    "name": "minimal-fix",
    "line": "The least to review: one changed place, no clean-up"
  }
];

export const DEFAULT_STRATEGY: Strategy = "balanced";

/** How each reducer orders equal verdicts, and what it compares, in its order. */
export const REDUCERS: Record<string, { explanation: string; measures: readonly string[] }> = {
  "evidence": {
    "explanation": "strongest proof, then about this issue, most independent support, fewest failures of others' tests, smallest change of code, fastest run",
    "measures": [
      "proof",
      "tied",
      "support",
      "failures",
      "size",
      "time"
    ]
  },
  "simple": {
    "explanation": "fewest files, then smallest diff, then fastest run",
    "measures": [
      "files",
      "lines",
      "time",
      "steadiness"
    ]
  },
  "first": {
    "explanation": "the earliest submission",
    "measures": [
      "submitted"
    ]
  }
};

export const DEFAULT_REDUCER = "evidence";

/** Kinds of proof, the strongest first. */
export const PROOF_KINDS: readonly ProofKind[] = ["behaviour", "interface", "command", "none"];

/** Why a run failed. */
export const CAUSES: Record<components["schemas"]["Cause"], string> = {
  "sandbox_failed": "the sandbox could not be started",
  "sandbox_lost": "the sandbox died during the run",
  "sandbox_refused": "the sandbox provider refused us: its key, its credit or its settings",
  "setup_failed": "the repository's set-up failed",
  "model_failed": "the model endpoint failed",
  "model_refused": "the model endpoint refused the call",
  "context_overflow": "the conversation outgrew the model's context",
  "script_exhausted": "the script has no more replies",
  "agent_failed": "the agent failed",
  "no_tool_calls": "the model kept answering without a usable tool call",
  "out_of_steps": "the step limit was reached before it submitted",
  "out_of_time": "the time budget ended before it submitted",
  "out_of_budget": "the cost cap was reached before it submitted",
  "empty_patch": "it submitted without changing anything",
  "patch_refused": "its patch was refused",
  "worker_lost": "the worker that ran it died",
  "worker_left": "the worker that ran it was stopped",
  "store_failed": "the database or the artifact store could not be reached",
  "verification_failed": "its patch could not be verified",
  "forge_failed": "the forge could not be reached",
  "internal": "Yudai failed; this is our fault"
};
