import type { RefObject } from "react";
import type { Reader } from "@/features/trajectory/useReader";
import type { Run } from "@/features/trajectory/useRun";
import { useKeys } from "@/lib/useKeys";

interface KeyTargets {
  reader: Reader;
  facts: Run;
  field: RefObject<HTMLInputElement | null>;
  copy: (seq: number) => void;
  go: (runId: string) => void;
}

/** Binds mini-SWE-agent's keys where it has them. */
export function useTrajectoryKeys(
  isOn: boolean,
  { reader, facts, field, copy, go }: KeyTargets,
): void {
  const { selected } = reader.view;
  const last = reader.trajectory.messages.at(-1);
  const keys = {
    j: () => reader.move(1),
    k: () => reader.move(-1),
    h: () => facts.previous && go(facts.previous),
    l: () => facts.next && go(facts.next),
    "0": reader.toStart,
    $: reader.toEnd,
    e: () => selected !== null && reader.opened.toggle(selected),
    E: reader.opened.toggleAll,
    f: () => (reader.isFollowing ? reader.follow(false) : reader.toEnd()),
    "/": () => field.current?.focus(),
    y: () => (selected ?? last?.seq) !== undefined && copy(selected ?? last?.seq ?? 0),
    r: () => {
      const message = reader.trajectory.messages.find(({ seq }) => seq === selected);
      download(
        message?.raw ?? `/api/runs/${encodeURIComponent(facts.lane?.id ?? "")}/trajectory.json`,
      );
    },
  };
  useKeys(isOn ? keys : {});
}

function download(href: string): void {
  const link = document.createElement("a");
  link.href = href;
  link.download = "";
  link.click();
}
