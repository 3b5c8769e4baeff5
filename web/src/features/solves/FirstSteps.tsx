import { Link } from "react-router";
import { mayAdminister, useMe } from "@/api/queries/me";
import { useDemo } from "@/lib/useDemo";
import { Button } from "@/ui/Button";
import { Failure } from "@/ui/states";

const CARD = "card-live enter flex flex-col gap-2 p-4";
const LINK =
  "inline-flex min-h-8 items-center justify-center rounded-md border border-control px-3 py-1 text-sm hover:border-accent-text";

/** Shown while there are no solves: the ways to start one, the easiest first. */
export function FirstSteps() {
  const demo = useDemo();
  const me = useMe();
  return (
    <div className="flex flex-col gap-3">
      <h2 className="text-base font-semibold">No solves yet. Start here:</h2>
      {demo.error && <Failure error={demo.error} />}
      <div className="grid gap-3 md:grid-cols-3">
        {mayAdminister(me) && (
          <section className={CARD}>
            <h3 className="font-semibold">Watch the demo</h3>
            <p className="grow text-sm text-soft">
              Seven scripted contestants solve an issue of a sample repository, in real sandboxes
              with real tests. No key, no cost, half a minute.
            </p>
            <Button look="primary" busy={demo.isPending} onClick={() => demo.mutate()}>
              Start the demo
            </Button>
          </section>
        )}
        {me.mode === "local" && (
          <section className={CARD} style={{ "--place": 1 } as React.CSSProperties}>
            <h3 className="font-semibold">Your own folder</h3>
            <p className="grow text-sm text-soft">
              Choose a git repository on this machine and describe the issue. Nothing changes until
              you apply the champion's patch.
            </p>
            <Link to="/new" className={LINK}>
              Choose a folder
            </Link>
          </section>
        )}
        <section className={CARD} style={{ "--place": 2 } as React.CSSProperties}>
          <h3 className="font-semibold">An issue on GitHub</h3>
          <p className="grow text-sm text-soft">
            Pick one from your repositories, or enter any as owner/repo#12. The champion becomes a
            draft pull request if you want one.
          </p>
          <div className="flex flex-wrap gap-2">
            <Link to="/repos" className={`${LINK} grow`}>
              Pick an issue
            </Link>
            <Link to="/new" className={`${LINK} grow`}>
              Enter an issue
            </Link>
          </div>
        </section>
      </div>
    </div>
  );
}
