import { useMe } from "@/api/queries/me";
import type { Me, SolveView } from "@/api/types";
import { usePublish } from "@/features/publication/usePublication";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { Hostile } from "@/ui/Hostile";

interface Props {
  solveId: string;
  repo: string;
  handle: string;
  facts: SolveView;
  close: () => void;
}

/** Confirms publishing and lists what will be written at the forge. */
export function PublishDialog({ solveId, repo, handle, facts, close }: Props) {
  const publish = usePublish(solveId);
  const me = useMe();
  const number = facts.issue_number;
  return (
    <ConfirmDialog
      title="Open a pull request?"
      verb="Open pull request"
      busy={publish.isPending}
      error={publish.error}
      act={() => publish.mutate(undefined, { onSuccess: close })}
      close={close}
    >
      <p className="text-soft">
        These steps will happen at <Strong text={repo} />:
      </p>
      <ol className="ml-5 flex list-decimal flex-col gap-1 text-soft">
        <li>
          the patch of <Strong text={handle} /> is checked again and becomes one commit on a new
          branch
        </li>
        <li>the branch is pushed, to a fork if push access is missing</li>
        <li>
          a draft pull request into <Strong text={facts.base_branch || "the default branch"} /> is
          opened
        </li>
        {number !== null && <li>a comment on #{number} links to it</li>}
      </ol>
      <p className="text-soft">{credentialText(me, repo)} Nothing is merged: people decide that.</p>
    </ConfirmDialog>
  );
}

/** The same order of credentials as on the server. */
export function credentialText(me: Me, repo: string): string {
  const otherwise =
    me.mode === "github" && me.login
      ? `in your name, ${me.login}`
      : "with the server's own token or login";
  return `The Yudai app does this if it is installed for ${repo}; otherwise it is done ${otherwise}.`;
}

function Strong({ text }: { text: string }) {
  return (
    <code className="break-all text-text">
      <Hostile text={text} />
    </code>
  );
}
