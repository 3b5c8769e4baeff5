import { Link } from "react-router";
import type { ChatMessage } from "@/api/types";
import { clock, date, money } from "@/lib/format";
import { Markdown } from "@/ui/Markdown";

const NAMES: Record<ChatMessage["role"], string> = {
  user: "you",
  assistant: "model",
  yudai: "yudai",
};

const SIGNS: Record<NonNullable<ChatMessage["milestone"]>, string> = {
  queued: "○",
  running: "●",
  first_passing_run: "✓",
  asked: "?",
  champion: "★",
  awaiting_review: "◆",
  pull_request: "⇄",
  completed: "✓",
  reverted: "↺",
  failed: "✗",
  cancelled: "■",
};

const LOOKS: Record<ChatMessage["role"], string> = {
  user: "border-second/40 bg-second-ground",
  assistant: "border-line bg-raised",
  yudai: "border-line bg-panel",
};

export function MessageRow({ message }: { message: ChatMessage }) {
  const { milestone } = message;
  return (
    <article className={`rounded-md border px-3 py-2 text-sm ${LOOKS[message.role]}`}>
      <header className="flex flex-wrap items-baseline gap-x-2 text-xs text-muted">
        <span className="text-soft">
          {milestone && <span aria-hidden>{SIGNS[milestone]} </span>}
          {NAMES[message.role]}
        </span>
        <time dateTime={new Date(message.at * 1000).toISOString()} title={date(message.at)}>
          {clock(message.at)}
        </time>
        {message.cost_usd > 0 && <span>{money(message.cost_usd)}</span>}
        {message.solve_id && (
          <Link to={`/solves/${message.solve_id}`} className="text-second underline">
            solve
          </Link>
        )}
      </header>
      <Markdown text={message.text} />
    </article>
  );
}
