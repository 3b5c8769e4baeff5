/** Test data; not imported by the page. */
import type { BaseView, Leftover, SandboxView, Swept } from "@/api/types";

export const SOLVE = "0190a000-0000-7000-8000-0000aaaaaaaa";
export const RUN = "0190a000-0000-7000-8000-0000bbbbbbbb";
export const NO_TAGS = { solve: "", run: "", conversation: "", issue: "", user: "" };

export function aSandbox(over: Partial<SandboxView> = {}): SandboxView {
  return {
    id: "sandbox1",
    backend: "e2b",
    external: "i7x2kq9",
    owner: RUN,
    tags: { ...NO_TAGS, solve: SOLVE, run: RUN, issue: "octo/passbook#12" },
    base: "0c3b",
    age_s: 130,
    held: true,
    ...over,
  };
}

export function aLeftover(over: Partial<Leftover> = {}): Leftover {
  return {
    backend: "e2b",
    id: "i7x2kq9",
    owner: RUN,
    why: "its process is dead",
    age_s: 760,
    fate: "reaped",
    note: "",
    ...over,
  };
}

export function aLook(over: Partial<Swept> = {}): Swept {
  return { dry_run: true, leftovers: [aLeftover()], failures: [], ...over };
}

export function aBase(over: Partial<BaseView> = {}): BaseView {
  return {
    backend: "bubblewrap",
    key: "0c3b0ba1",
    size_bytes: 412 << 20,
    made_at: 1_700_000_000,
    used_at: 1_700_000_100,
    users: 0,
    ...over,
  };
}
