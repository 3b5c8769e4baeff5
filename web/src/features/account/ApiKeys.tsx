import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { accountKeys, keysQuery, revokeKey } from "@/api/queries/account";
import type { KeyView, NewKey } from "@/api/types";
import { NewKeyForm } from "@/features/account/NewKeyForm";
import { age, date } from "@/lib/format";
import { shown } from "@/lib/hostile";
import { useNow } from "@/lib/useNow";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { CopyButton } from "@/ui/CopyButton";
import { Hostile } from "@/ui/Hostile";
import { Failure, Skeleton } from "@/ui/states";
import { Tag } from "@/ui/Tag";

/** API keys of the user. A new key is shown once. */
export function ApiKeys() {
  const query = useQuery(keysQuery());
  const [made, setMade] = useState<NewKey | null>(null);
  const [ending, end] = useState<KeyView | null>(null);
  return (
    <section aria-labelledby="api-keys" className="card flex min-w-0 flex-col gap-3 p-4">
      <h2 id="api-keys" className="font-semibold">
        API keys
      </h2>
      <p className="text-xs text-muted">
        For programs and the command line, as <code>Authorization: Bearer ydk_…</code>. A key has
        only the permissions of its scopes, and never more than you have.
      </p>
      {made && <Shown made={made} hide={() => setMade(null)} />}
      {query.isPending && <Skeleton rows={2} />}
      {query.isError && <Failure error={query.error} retry={() => void query.refetch()} />}
      {query.data?.length === 0 && <p className="text-sm text-muted">You have no keys.</p>}
      {query.data && query.data.length > 0 && <List keys={query.data} end={end} />}
      <NewKeyForm done={setMade} />
      {ending && <Revoke about={ending} close={() => end(null)} />}
    </section>
  );
}

function Shown({ made, hide }: { made: NewKey; hide: () => void }) {
  return (
    <div
      role="status"
      className="flex min-w-0 flex-col gap-2 rounded-md border border-accent-text/50 bg-accent-ground px-3 py-2 text-sm"
    >
      <p className="text-accent-text">
        The key <Hostile text={made.about.name} /> is shown only once: copy it now.
      </p>
      <code className="min-w-0 break-all text-text">{made.key}</code>
      <div className="flex gap-2">
        <CopyButton text={made.key} label="Copy the key" />
        <Button onClick={hide}>I have it</Button>
      </div>
    </div>
  );
}

function List({ keys, end }: { keys: readonly KeyView[]; end: (key: KeyView) => void }) {
  const now = useNow(30_000) / 1000;
  return (
    <ul aria-label="API keys" className="flex flex-col divide-y divide-line text-sm">
      {keys.map((key) => (
        <li key={key.id} className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 py-2">
          <span className="min-w-0 font-medium break-words">
            <Hostile text={key.name} />
          </span>
          {key.scopes.map((scope) => (
            <Tag key={scope}>{scope}</Tag>
          ))}
          <Button
            className="ml-auto"
            look="danger"
            aria-label={`Revoke ${shown(key.name)}`}
            onClick={() => end(key)}
          >
            Revoke
          </Button>
          <span className="basis-full text-xs text-muted">
            created {age(now - key.created_at)} ago, {usedWords(key, now)}, {endWords(key, now)}
          </span>
        </li>
      ))}
    </ul>
  );
}

export function usedWords({ used_at: at }: KeyView, now: number): string {
  return at === null ? "never used" : `used ${age(now - at)} ago`;
}

export function endWords({ expires_at: at }: KeyView, now: number): string {
  if (at === null) return "never expires";
  return at <= now ? "expired" : `valid until ${date(at)}`;
}

function Revoke({ about, close }: { about: KeyView; close: () => void }) {
  const client = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => revokeKey(about.id),
    onSuccess: close,
    onSettled: () => client.invalidateQueries({ queryKey: accountKeys.keys }),
  });
  return (
    <ConfirmDialog
      title="Revoke this key?"
      verb="Revoke the key"
      danger
      busy={revoke.isPending}
      error={revoke.error}
      act={() => revoke.mutate()}
      close={close}
    >
      <p className="text-soft">
        Programs that use <Hostile text={about.name} /> lose access immediately. You cannot undo
        this.
      </p>
    </ConfirmDialog>
  );
}
