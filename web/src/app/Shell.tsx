import { useState } from "react";
import { Link, NavLink, Outlet, ScrollRestoration, useNavigate } from "react-router";
import { mayAdminister, useMe } from "@/api/queries/me";
import { AccountMenu } from "@/app/AccountMenu";
import { CommandPalette } from "@/app/CommandPalette";
import { KeysHelp } from "@/app/KeysHelp";
import { useKeys } from "@/lib/useKeys";
import { usePaletteKey } from "@/lib/usePaletteKey";
import { Button } from "@/ui/Button";

const PLACES = [
  { to: "/", name: "Solves" },
  { to: "/repos", name: "Repositories" },
  { to: "/conversations", name: "Conversations" },
  { to: "/cost", name: "Cost" },
  { to: "/sandboxes", name: "Sandboxes" },
  { to: "/settings", name: "Settings" },
] as const;

/** The full name does not fit on a phone. */
function Repositories() {
  return (
    <>
      Repo<span className="max-sm:hidden">sitorie</span>s
    </>
  );
}

export function Shell() {
  const go = useNavigate();
  const isAdmin = mayAdminister(useMe());
  const [shown, show] = useState<"" | "help" | "palette">("");
  usePaletteKey(() => show("palette"));
  useKeys({
    "?": () => show("help"),
    n: () => go("/new"),
    "g r": () => go("/"),
    "g n": () => go("/new"),
    "g i": () => go("/repos"),
    "g m": () => go("/conversations"),
    "g c": () => go("/cost"),
    "g b": () => go("/sandboxes"),
    "g s": () => go("/settings"),
  });
  return (
    <div className="flex min-h-dvh flex-col">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-panel focus:p-2"
      >
        Skip to content
      </a>
      <header className="sticky top-0 z-40 border-b border-line bg-ground">
        <div className="mx-auto flex w-full max-w-[120rem] flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2">
          <Link to="/" className="font-bold tracking-tight">
            <span className="text-accent-text">yu</span>dai
          </Link>
          <nav
            aria-label="Main"
            className="flex min-w-0 flex-wrap gap-1 max-sm:order-last max-sm:basis-full max-sm:gap-0"
          >
            {PLACES.filter(({ to }) => isAdmin || to !== "/sandboxes").map(({ to, name }) => (
              <NavLink
                key={to}
                to={to}
                end={to === "/"}
                className={({ isActive }) =>
                  `rounded-md px-2 py-1 text-sm max-sm:px-1.5 ${to === "/sandboxes" ? "max-sm:hidden" : ""} ${isActive ? "bg-raised text-text" : "text-soft hover:text-text"}`
                }
              >
                {to === "/repos" ? <Repositories /> : name}
              </NavLink>
            ))}
          </nav>
          <div className="ml-auto flex items-center gap-2">
            <Button
              look="quiet"
              onClick={() => show("palette")}
              aria-keyshortcuts="Control+K Meta+K"
            >
              Search <kbd className="hidden text-xs text-muted sm:inline">Ctrl K</kbd>
            </Button>
            <Link
              to="/new"
              className="inline-flex min-h-8 items-center rounded-md border border-accent bg-accent px-3 py-1 text-sm font-semibold text-on-accent hover:brightness-110"
            >
              New solve
            </Link>
            <AccountMenu />
          </div>
        </div>
      </header>
      <main
        id="main"
        tabIndex={-1}
        className="mx-auto w-full max-w-[120rem] min-w-0 grow px-4 py-4 outline-none"
      >
        <Outlet />
      </main>
      {shown === "help" && <KeysHelp close={() => show("")} />}
      {shown === "palette" && <CommandPalette close={() => show("")} />}
      <ScrollRestoration />
    </div>
  );
}
