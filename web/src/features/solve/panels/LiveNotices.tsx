import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { api, ask } from "@/api/client";
import type { Watched } from "@/live/useUpdates";
import { Button } from "@/ui/Button";
import { Banner } from "@/ui/states";

/** Offers a reload when the server has been upgraded while it was unreachable. */
export function Upgraded({ error }: Pick<Watched, "error">) {
  const { data, refetch } = useQuery({
    queryKey: ["version"],
    queryFn: ({ signal }) => ask(api.GET("/api/health/live", { signal })),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const first = useRef<string | null>(null);
  if (data && first.current === null) first.current = data.version;
  const wasUnreachable = useRef(false);
  useEffect(() => {
    if (error) wasUnreachable.current = true;
    else if (wasUnreachable.current) {
      wasUnreachable.current = false;
      void refetch();
    }
  }, [error, refetch]);
  if (!data || data.version === first.current) return null;
  return (
    <Banner action={<Button onClick={() => window.location.reload()}>Reload</Button>}>
      The server is now version {data.version}; this page is version {first.current}.
    </Banner>
  );
}

const QUIET_MS = 10_000;

/** Announces progress to screen readers, at most every ten seconds. */
export function Announcer({ text }: { text: string }) {
  const [announced, setAnnounced] = useState("");
  const last = useRef(0);
  useEffect(() => {
    const wait = Math.max(0, last.current + QUIET_MS - Date.now());
    const timer = setTimeout(() => {
      last.current = Date.now();
      setAnnounced(text);
    }, wait);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <p aria-live="polite" className="sr-only">
      {announced}
    </p>
  );
}
