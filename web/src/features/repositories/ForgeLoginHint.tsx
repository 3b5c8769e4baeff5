import { useMe } from "@/api/queries/me";
import { forgeName } from "@/lib/forge";
import { Button } from "@/ui/Button";
import { CopyButton } from "@/ui/CopyButton";
import { Hostile } from "@/ui/Hostile";
import { Empty } from "@/ui/states";

/** Shown when the server has no credentials for the forge. */
export function ForgeLoginHint({ message, retry }: { message: string; retry: () => void }) {
  const { mode, forge_url: forge } = useMe();
  return (
    <Empty
      title={`You are not signed in to ${forgeName(forge)}`}
      action={<Button onClick={retry}>Try again</Button>}
    >
      <p>
        <Hostile text={message} />
      </p>
      {mode === "local" && (
        <ol className="mt-3 flex flex-col gap-2 text-left">
          <li className="flex flex-wrap items-center gap-x-2">
            <span className="text-muted">either</span>
            <code className="rounded bg-raised px-1.5">yudai login</code>
            <CopyButton text="yudai login" />
            <span className="text-xs text-muted">
              enter a code at GitHub; the token is stored encrypted
            </span>
          </li>
          <li className="flex flex-wrap items-center gap-x-2">
            <span className="text-muted">or</span>
            <code className="rounded bg-raised px-1.5">GITHUB_TOKEN=… yudai serve</code>
            <span className="text-xs text-muted">your own token; it never enters a sandbox</span>
          </li>
        </ol>
      )}
      <p className="mt-3 text-xs text-muted">
        You do not need this for an issue of a public repository: enter it under New solve.
      </p>
    </Empty>
  );
}
