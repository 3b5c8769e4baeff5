// Generated from the registries of `src/yudai` by `make gen`: do not edit.
import type { BackendName, Strategy } from "./types";

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

/** What each reducer compares, in its order. */
export const REDUCERS: Record<string, readonly string[]> = {
  "evidence": [
    "proof",
    "tied",
    "support",
    "failures",
    "size",
    "time"
  ],
  "simple": [
    "files",
    "lines",
    "time",
    "steadiness"
  ],
  "first": [
    "submitted"
  ]
};
