import { useMutation } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState } from "react";
import { Link } from "react-router";
import { signOut, useMe } from "@/api/queries/me";
import type { Me } from "@/api/types";
import { leave } from "@/lib/returnPath";
import { Button } from "@/ui/Button";
import { ForgeLink } from "@/ui/ForgeLink";
import { Hostile } from "@/ui/Hostile";
import { Tag } from "@/ui/Tag";

/** Shows the signed-in user. Hidden in local mode, which has only one user. */
export function AccountMenu() {
  const me = useMe();
  if (me.mode === "local" || !me.login) return null;
  return <Menu me={me} login={me.login} />;
}

function Menu({ me, login }: { me: Me; login: string }) {
  const panel = useId();
  const [isOpen, setOpen] = useState(false);
  const container = useRef<HTMLDivElement>(null);
  useDismissal(isOpen, container, () => setOpen(false));
  return (
    <div ref={container} className="relative">
      <Button
        look="quiet"
        aria-expanded={isOpen}
        aria-controls={panel}
        onClick={() => setOpen(!isOpen)}
      >
        <span className="sr-only">Account: </span>
        <span className="max-w-32 truncate">
          <Hostile text={login} />
        </span>{" "}
        {me.is_admin && (
          <span className="max-sm:hidden">
            <Tag tone="accent">admin</Tag>
          </span>
        )}
        <span aria-hidden className="text-xs text-muted">
          ▾
        </span>
      </Button>
      {isOpen && (
        <div
          id={panel}
          className="card absolute right-0 z-50 mt-1 flex w-64 max-w-[calc(100vw-2rem)] flex-col gap-2 p-3 text-sm shadow-2xl"
        >
          <p className="min-w-0 break-words text-muted">
            Signed in as{" "}
            <ForgeLink url={`${me.forge_url}/${login}`}>
              <Hostile text={login} />
            </ForgeLink>
          </p>
          {me.is_admin && (
            <p className="text-xs text-muted">
              You are an administrator: you can see this installation's settings and start the demo.
            </p>
          )}
          <Link
            to="/settings#access"
            onClick={() => setOpen(false)}
            className="inline-flex min-h-8 items-center rounded-md px-2 hover:bg-raised"
          >
            API keys and sign-ins
          </Link>
          <SignOut />
        </div>
      )}
    </div>
  );
}

function SignOut() {
  const out = useMutation({ mutationFn: signOut, onSuccess: leave });
  return (
    <>
      <Button busy={out.isPending || out.isSuccess} onClick={() => out.mutate()}>
        Sign out
      </Button>
      {out.error && (
        <p role="alert" className="text-xs text-bad">
          You are still signed in: <Hostile text={out.error.message} />
        </p>
      )}
    </>
  );
}

/** Closes the menu on Escape and on a press outside of it. */
function useDismissal(
  isOpen: boolean,
  container: React.RefObject<HTMLElement | null>,
  close: () => void,
): void {
  const latest = useRef(close);
  latest.current = close;
  useEffect(() => {
    if (!isOpen) return;
    const press = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      latest.current();
      container.current?.querySelector("button")?.focus();
    };
    const point = (event: PointerEvent) => {
      if (!container.current?.contains(event.target as Node)) latest.current();
    };
    document.addEventListener("keydown", press);
    document.addEventListener("pointerdown", point);
    return () => {
      document.removeEventListener("keydown", press);
      document.removeEventListener("pointerdown", point);
    };
  }, [isOpen, container]);
}
