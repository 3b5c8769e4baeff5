import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { reposQuery } from "@/api/queries/ask";
import type { Forecast } from "@/api/types";
import { Check } from "@/features/ask/Check";
import { placeOf } from "@/features/ask/place";
import { Section } from "@/features/ask/Section";
import type { Ask } from "@/features/ask/useAsk";
import { shown } from "@/lib/hostile";
import { CONTROL, Field } from "@/ui/Field";
import { Hostile } from "@/ui/Hostile";

const RECENT = 5;

/** The repository or folder, and from which of its commits on. */
export function WhereFields({ ask }: { ask: Ask }) {
  const { draft, change, error } = ask;
  const kind = placeOf(draft.repo).kind;
  const folder = folderOf(ask);
  return (
    <Section number={1} title="Where">
      <RepoField ask={ask} />
      {folder && <Notes notes={folder.notes} />}
      <div className="grid items-start gap-4 @lg:grid-cols-2">
        <Field
          label="Base branch"
          hint={kind === "folder" ? "or any commit; empty: what is checked out" : "empty: its own"}
          error={error("base_branch")}
        >
          {(wired) => (
            <input
              {...wired}
              name="base_branch"
              value={draft.base}
              onChange={(event) => change("base_branch", { base: event.target.value })}
              placeholder={folder?.branch ? shown(folder.branch) : "main"}
              spellCheck={false}
              autoComplete="off"
              className={CONTROL}
            />
          )}
        </Field>
        {kind !== "remote" && (
          <div className="min-w-0 @lg:mt-6">
            <Check
              name="dirty"
              label="Include uncommitted changes"
              isOn={draft.dirty}
              turn={(dirty) => change("dirty", { dirty })}
              error={error("dirty")}
            />
          </div>
        )}
      </div>
    </Section>
  );
}

type Folder = NonNullable<Forecast["folder"]>;

/** As the server saw it last, as long as the same one is named: it stays while others are typed. */
function folderOf({ draft, foreseen: { forecast } }: Ask): Folder | null {
  const { repo_path: path, repo_url: url } = placeOf(draft.repo);
  const isSame = path ? forecast?.ask.repo_path === path : Boolean(url?.startsWith("file:"));
  return (isSame && forecast?.folder) || null;
}

function RepoField({ ask }: { ask: Ask }) {
  const { draft, change, error } = ask;
  const list = useId();
  const { data: recent = [] } = useQuery(reposQuery());
  const places = recent.map((each) => each.repo_path || each.repo_url).filter(Boolean);
  const settle = () => {
    // An issue's own address names both.
    const place = placeOf(draft.repo);
    if (!place.number || !place.repo_url) return;
    change("repo", { repo: place.repo_url, issueBy: "number", number: String(place.number) });
  };
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <Field
        label="Repository or folder"
        hint={<RepoHint folder={folderOf(ask)} />}
        error={error("repo")}
      >
        {(wired) => (
          <input
            {...wired}
            name="repo"
            list={list}
            value={draft.repo}
            onChange={(event) => change("repo", { repo: event.target.value })}
            onBlur={settle}
            placeholder="/home/ada/passbook"
            spellCheck={false}
            autoComplete="off"
            autoCapitalize="none"
            className={CONTROL}
          />
        )}
      </Field>
      <datalist id={list}>
        {places.map((place) => (
          <option key={place} value={place} />
        ))}
      </datalist>
      <Recent places={places} take={(repo) => change("repo", { repo })} now={draft.repo} />
    </div>
  );
}

interface RecentProps {
  places: string[];
  now: string;
  take: (place: string) => void;
}

function Recent({ places, now, take }: RecentProps) {
  const others = places.filter((place) => place !== now).slice(0, RECENT);
  if (!others.length) return null;
  return (
    <ul aria-label="Recent repositories" className="flex min-w-0 flex-wrap gap-2 text-xs">
      {others.map((place) => (
        <li key={place} className="max-w-full min-w-0">
          <button
            type="button"
            onClick={() => take(place)}
            title={shown(place)}
            className="min-h-6 max-w-full truncate rounded-md border border-line px-2 py-0.5 text-soft hover:border-accent-text hover:text-text"
          >
            <Hostile text={place} />
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Takes no other room than the hint: is it the right folder, on the right branch? */
function RepoHint({ folder }: { folder: Folder | null }) {
  if (!folder) return "a folder in a git repository on the server's machine, by its whole path";
  const facts = [
    folder.repo,
    folder.branch && `on ${folder.branch}`,
    folder.commit && `at ${folder.commit.slice(0, 8)}`,
    folder.setup_from && `set-up from ${folder.setup_from}`,
    folder.dirty && "with uncommitted changes",
  ];
  return (
    <span className="break-words text-soft">
      <span aria-hidden className="text-good">
        ✓{" "}
      </span>
      <Hostile text={facts.filter(Boolean).join(" · ")} />
    </span>
  );
}

function Notes({ notes }: { notes: readonly string[] }) {
  return notes.map((note) => (
    <p key={note} className="text-xs break-words text-accent-text">
      <span aria-hidden>! </span>
      <Hostile text={note} />
    </p>
  ));
}
