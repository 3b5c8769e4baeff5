import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { accountKeys, endLogin, endLogins, loginsQuery } from "@/api/queries/account";
import { signOut } from "@/api/queries/me";
import type { LoginView } from "@/api/types";
import { age, date } from "@/lib/format";
import { shown } from "@/lib/hostile";
import { leave } from "@/lib/returnPath";
import { useNow } from "@/lib/useNow";
import { Button } from "@/ui/Button";
import { Hostile } from "@/ui/Hostile";
import { Failure, Skeleton } from "@/ui/states";
import { Tag } from "@/ui/Tag";

/** Browsers that are signed in as this user. */
export function LoginList() {
  const query = useQuery(loginsQuery());
  const all = useMutation({ mutationFn: endLogins, onSuccess: leave });
  return (
    <section aria-labelledby="sign-ins" className="card flex min-w-0 flex-col gap-3 p-4">
      <header className="flex flex-wrap items-center justify-between gap-3">
        <h2 id="sign-ins" className="font-semibold">
          Sign-ins
        </h2>
        <Button busy={all.isPending || all.isSuccess} onClick={() => all.mutate()}>
          End all, including this one
        </Button>
      </header>
      {all.error && <Failure error={all.error} />}
      {query.isPending && <Skeleton rows={2} />}
      {query.isError && <Failure error={query.error} retry={() => void query.refetch()} />}
      {query.data && (
        <ul aria-label="Sign-ins" className="flex flex-col divide-y divide-line text-sm">
          {query.data.map((login) => (
            <LoginRow key={login.id} login={login} />
          ))}
        </ul>
      )}
    </section>
  );
}

function LoginRow({ login }: { login: LoginView }) {
  const now = useNow(30_000) / 1000;
  const client = useQueryClient();
  const end = useMutation({
    mutationFn: () => (login.present ? signOut() : endLogin(login.id)),
    onSuccess: () =>
      login.present ? leave() : client.invalidateQueries({ queryKey: accountKeys.logins }),
  });
  return (
    <li className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 py-2">
      <span className="min-w-0 grow basis-40 truncate text-soft" title={shown(login.agent)}>
        <Hostile text={browserOf(login.agent)} />
      </span>
      {login.present && <Tag tone="second">this browser</Tag>}
      <Button busy={end.isPending} onClick={() => end.mutate()}>
        {login.present ? "Sign out" : "End"}
      </Button>
      <span className="basis-full text-xs text-muted">
        since {date(login.created_at)}, last seen {age(now - login.seen_at)} ago, expires{" "}
        {date(login.expires_at)}
      </span>
      {end.error && (
        <p role="alert" className="basis-full text-xs text-bad">
          <Hostile text={end.error.message} />
        </p>
      )}
    </li>
  );
}

const BROWSERS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/Edg(?:e|A|iOS)?\//, "Edge"],
  [/OPR\//, "Opera"],
  [/Firefox\//, "Firefox"],
  [/Chrom(?:e|ium)\//, "Chrome"],
  [/Safari\//, "Safari"],
];
const SYSTEMS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/Android/, "Android"],
  [/iPhone|iPad/, "iOS"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "macOS"],
  [/Linux/, "Linux"],
];

/** Common name of a browser and its system, or its user agent if it is unknown. */
export function browserOf(agent: string): string {
  const browser = BROWSERS.find(([pattern]) => pattern.test(agent))?.[1];
  const system = SYSTEMS.find(([pattern]) => pattern.test(agent))?.[1];
  if (!browser) return agent || "unknown browser";
  return system ? `${browser} on ${system}` : browser;
}
