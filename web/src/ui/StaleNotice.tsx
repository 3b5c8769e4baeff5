import { age } from "@/lib/format";
import { useNow } from "@/lib/useNow";
import { Button } from "@/ui/Button";
import { Banner } from "@/ui/states";

interface Props {
  /** When the newest data came, by our clock, in milliseconds; 0: never. */
  at: number;
  /** When it is tried again by itself; left out: only when somebody asks. */
  next?: number;
  retry: () => unknown;
}

/** What is shown is old, because the server does not answer: says how old, and what happens next. */
export function StaleNotice({ at, next, retry }: Props) {
  const now = useNow(1000);
  const old = at ? `data ${age((now - at) / 1000)} old` : "no data yet";
  const soon =
    next && next > now ? `, retrying in ${age((next - now) / 1000 + 0.5)}` : ", retrying …";
  return (
    <Banner tone="warn" action={<Button onClick={() => void retry()}>Retry now</Button>}>
      <span aria-hidden>⚠ </span>
      The server does not answer
      {/* It changes every second: heard once is enough. */}
      <span aria-hidden>
        : {old}
        {next === undefined ? "" : soon}
      </span>
      .
    </Banner>
  );
}
