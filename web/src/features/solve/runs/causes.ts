import type { components } from "@/api/schema";
import type { Part } from "@/features/solve/runs/order";

type Cause = components["schemas"]["Cause"];

interface CauseText {
  words: string;
  /** The part of the run that most likely shows the reason. */
  look: Part;
  next: string;
}

const AGENT = { look: "trajectory", next: "See what it did" } as const;
const SETUP = { look: "setup", next: "See the setup log" } as const;
const LIMIT = { look: "trajectory", next: "See how far it got" } as const;

/**
 * The texts of the server's table of causes (`src/yudai/kit/causes.py`), and what to look at next.
 */
export const CAUSES: Record<Cause, CauseText> = {
  sandbox_failed: { words: "the sandbox could not be started", ...SETUP },
  sandbox_lost: { words: "the sandbox died during the run", ...AGENT },
  sandbox_refused: {
    words: "the sandbox provider refused us: its key, its credit or its settings",
    ...SETUP,
  },
  forge_failed: { words: "the repository could not be fetched from the forge", ...SETUP },
  setup_failed: { words: "the repository's set-up failed", ...SETUP },
  model_failed: { words: "the model endpoint failed", look: "agent", next: "See the agent log" },
  model_refused: {
    words: "the model endpoint refused the call",
    look: "agent",
    next: "See the agent log",
  },
  context_overflow: { words: "the conversation outgrew the model's context", ...AGENT },
  script_exhausted: { words: "the script has no more replies", ...AGENT },
  agent_failed: { words: "the agent failed", look: "agent", next: "See the agent log" },
  no_tool_calls: { words: "the model kept answering without a usable tool call", ...AGENT },
  out_of_steps: { words: "the step limit was reached before it submitted", ...LIMIT },
  out_of_time: { words: "the time budget ended before it submitted", ...LIMIT },
  out_of_budget: { words: "the cost cap was reached before it submitted", ...LIMIT },
  empty_patch: { words: "it submitted without changing anything", ...AGENT },
  patch_refused: { words: "its patch was refused", ...AGENT },
  worker_lost: { words: "the worker that ran it died", ...AGENT },
  worker_left: { words: "the worker that ran it was stopped", ...AGENT },
  store_failed: { words: "the database or the artifact store could not be reached", ...AGENT },
  verification_failed: {
    words: "its patch could not be verified",
    look: "test",
    next: "See the test log",
  },
  internal: { words: "Yudai failed; this is our fault", look: "agent", next: "See the agent log" },
};
