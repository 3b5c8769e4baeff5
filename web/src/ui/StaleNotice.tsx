import { age } from "@/lib/format";
import { useNow } from "@/lib/useNow";
import { Button } from "@/ui/Button";
import { Banner } from "@/ui/states";

interface Props {
  /** Time of the newest data by the browser's clock, in milliseconds; 0 if there is none. */
  at: number;
  /** Time of the next automatic attempt; without it, only the button retries. */
  next?: number;
  retry: () => unknown;
}

/** Says how old the shown data is and when the next attempt follows, while the server is down. */
export function StaleNotice({ at, next, retry }: Props) {
  const now = useNow(1000);
  const dataAge = at ? `data ${age((now - at) / 1000)} old` : "no data yet";
  const nextTry =
    next && next > now ? `, retrying in ${age((next - now) / 1000 + 0.5)}` : ", retrying …";
  return (
    <Banner tone="warn" action={<Button onClick={() => void retry()}>Retry now</Button>}>
      <span aria-hidden>⚠ </span>
      The server is not responding
      {/* Hidden from screen readers, because it changes every second. */}
      <span aria-hidden>
        : {dataAge}
        {next === undefined ? "" : nextTry}
      </span>
      .
    </Banner>
  );
}
