import { CAUSES } from "@/api/choices";
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

const AGENT_LOG = { look: "agent", next: "See the agent log" } as const;
const TESTS = { look: "test", next: "See the test log" } as const;

/** What to look at next; the words are the server's. */
const NEXT: Record<Cause, Omit<CauseText, "words">> = {
  sandbox_failed: SETUP,
  sandbox_lost: AGENT,
  sandbox_refused: SETUP,
  setup_failed: SETUP,
  model_failed: AGENT_LOG,
  model_refused: AGENT_LOG,
  context_overflow: AGENT,
  script_exhausted: AGENT,
  agent_failed: AGENT_LOG,
  no_tool_calls: AGENT,
  out_of_steps: LIMIT,
  out_of_time: LIMIT,
  out_of_budget: LIMIT,
  empty_patch: AGENT,
  patch_refused: AGENT,
  worker_lost: AGENT,
  worker_left: AGENT,
  store_failed: AGENT,
  verification_failed: TESTS,
  forge_failed: SETUP,
  internal: AGENT_LOG,
};

export function causeText(cause: Cause): CauseText {
  return { words: CAUSES[cause], ...NEXT[cause] };
}
