/** Test data; not imported by the page. */
import type { EventView, OutcomeView, PublicationView } from "@/api/types";

export const AT = 1_800_000_000;

export function aPublication(over: Partial<PublicationView> = {}): PublicationView {
  return {
    solve_id: "solve-1",
    run_id: "run-a",
    state: "done",
    reason: "",
    error: "",
    tries: 0,
    due_at: null,
    repo_url: "https://github.com/octo/passbook",
    base_branch: "main",
    base_commit: "b".repeat(40),
    branch: "yudai/issue-12-abc",
    head_repo: "octo/passbook",
    commit: "c".repeat(40),
    pull_number: 5,
    pull_url: "https://github.com/octo/passbook/pull/5",
    pull_title: "Fix: two purchases",
    pull_state: "open",
    is_draft: true,
    merged_at: null,
    comment_url: "https://github.com/octo/passbook/issues/12#issuecomment-1",
    created_at: AT,
    updated_at: AT + 10,
    ...over,
  };
}

export function anOutcome(over: Partial<OutcomeView> = {}): OutcomeView {
  return {
    id: 1,
    kind: "merged",
    run_id: "run-a",
    at: AT + 100,
    seen_at: AT + 110,
    by: "bob",
    key: "pull-5",
    evidence: { pull: 5, base: "main", commit: "d".repeat(40), self_merge: false },
    waits: false,
    confirmed: null,
    ...over,
  };
}

export function eventsOf(...kinds: string[]): EventView[] {
  return kinds.map((kind, place) => ({
    id: place + 1,
    at: AT + place,
    kind,
    run_id: null,
    data: {},
  }));
}
