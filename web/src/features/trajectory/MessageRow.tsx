import { memo, type Ref } from "react";
import type { MessageView } from "@/api/types";
import { excerpt, whole } from "@/features/trajectory/excerpt";
import { bytes, clock, count, duration, money } from "@/lib/format";
import { shown } from "@/lib/hostile";
import { Ansi } from "@/ui/Ansi";
import { Hostile } from "@/ui/Hostile";

export interface Acts {
  select: (seq: number) => void;
  toggle: (seq: number) => void;
  copy: (seq: number) => void;
}

interface Props {
  message: MessageView;
  isFirst: boolean;
  isLast: boolean;
  about: string;
  isOpen: boolean;
  isSelected: boolean;
  isFresh: boolean;
  acts: Acts;
  index: number;
  measure: Ref<HTMLElement>;
}

/** Colours of the roles. */
const ROLES: Record<string, string> = {
  assistant: "border-accent-text/50 text-accent-text",
  tool: "border-second/50 text-second",
  exit: "border-good/50 text-good",
};

/** One message. The messages of a step share one frame. */
export const MessageRow = memo(function MessageRow(props: Props) {
  const { message, isFirst, isLast, isOpen, isSelected, acts, index, measure } = props;
  const { text, commands, rest, isTail } = isOpen ? whole(message) : excerpt(message);
  const frame = `${isFirst ? "mt-2 rounded-t-md border-t" : ""} ${isLast ? "rounded-b-md border-b" : ""}`;
  const edge = isSelected ? "border-l-accent bg-raised" : "border-l-line-strong bg-panel";
  const more = rest > 0 && (
    <button type="button" onClick={() => acts.toggle(message.seq)} className={MORE}>
      show {count(rest, "more line")}
    </button>
  );
  return (
    <article
      ref={measure}
      data-index={index}
      data-seq={message.seq}
      aria-current={isSelected || undefined}
      aria-label={`Message ${message.seq}, ${shown(message.role)}`}
      className={`flow-root min-w-0 border-x border-l-2 border-line px-3 pb-2 ${frame} ${edge}`}
    >
      <RowHead {...props} />
      {isTail && more}
      {message.kind === "exit" && !text && <p className="text-sm text-soft">The run ended here.</p>}
      {text && <MessageText message={message} text={text} />}
      {commands.map((command, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: commands of a message keep their places
        <pre key={place} className={COMMAND}>
          <Hostile text={command} />
        </pre>
      ))}
      {!isTail && more}
      {isOpen && excerpt(message).rest > 0 && (
        <button type="button" onClick={() => acts.toggle(message.seq)} className={MORE}>
          show less
        </button>
      )}
      {message.truncated && <Truncated message={message} />}
    </article>
  );
});

const MORE = "block min-h-6 text-left text-xs text-second underline-offset-2 hover:underline";
const COMMAND =
  "mt-1 rounded-sm border-l-2 border-accent-text/60 bg-ground py-0.5 pl-2 text-xs leading-[18px] break-words whitespace-pre-wrap text-text before:text-accent-text before:content-['$_']";

function MessageText({ message, text }: { message: MessageView; text: string }) {
  if (message.kind !== "output") {
    return (
      <p className="log text-sm leading-5 break-words whitespace-pre-wrap text-soft">
        <Hostile text={text} />
      </p>
    );
  }
  return (
    <pre className="text-xs leading-[18px] break-words whitespace-pre-wrap text-soft">
      <Ansi text={text} />
    </pre>
  );
}

function RowHead({ message, about, isSelected, isFresh, acts }: Props) {
  const { seq, cost_usd: cost, ms } = message;
  const facts = [
    ms === null ? "" : duration(ms / 1000),
    cost === null ? "" : money(cost),
    clock(message.at),
  ];
  return (
    <header className="flex min-h-7 flex-wrap items-center gap-x-2 text-xs">
      <button
        type="button"
        onClick={() => acts.select(seq)}
        className="min-h-6 min-w-6 text-left text-muted tabular-nums hover:text-text"
      >
        #{seq}
      </button>
      <span
        className={`rounded-sm border px-1 ${ROLES[message.role] ?? "border-line-strong text-soft"}`}
      >
        {shown(message.role)}
      </span>
      <Tags message={message} />
      {about && (
        <code className="max-w-[32ch] truncate text-muted">
          $ {shown(about.split("\n", 1)[0] ?? "")}
        </code>
      )}
      {isFresh && <span className="text-second">new</span>}
      <span className="ml-auto text-muted tabular-nums">{facts.filter(Boolean).join(" · ")}</span>
      {isSelected && <Actions message={message} copy={acts.copy} />}
    </header>
  );
}

function Tags({ message }: { message: MessageView }) {
  const { edit, is_test: isTest, exit_code: code } = message;
  const isGood = code === 0;
  return (
    <>
      {edit !== null && <span className="text-accent-text">▲ edit {edit}</span>}
      {isTest && <span className="text-soft">◆ test</span>}
      {code !== null && (
        <span className={isGood ? "text-good" : "text-bad"}>
          {isGood ? "✓" : "✗"} exit {code}
        </span>
      )}
    </>
  );
}

const ACT = "inline-flex min-h-6 items-center px-1 text-second hover:underline";

function Actions({ message, copy }: { message: MessageView; copy: (seq: number) => void }) {
  return (
    <>
      <button type="button" onClick={() => copy(message.seq)} className={ACT}>
        copy link
      </button>
      <a href={message.raw} download className={ACT}>
        raw
      </a>
    </>
  );
}

function Truncated({ message }: { message: MessageView }) {
  const size = new Blob([message.text, ...message.commands]).size;
  return (
    <p className="text-xs text-muted">
      showing {bytes(size)} of {bytes(message.bytes)} –{" "}
      <a href={message.raw} download className="text-second underline">
        download
      </a>
    </p>
  );
}
