import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { Link } from "react-router";
import { reposQuery } from "@/api/queries/newSolve";
import type { Forecast } from "@/api/types";
import type { Draft } from "@/features/new-solve/state/draft";
import { parseRepository } from "@/features/new-solve/state/repositoryInput";
import type { NewSolve } from "@/features/new-solve/state/useNewSolve";
import { shown } from "@/lib/hostile";
import { CONTROL, Field } from "@/ui/Field";
import { Hostile } from "@/ui/Hostile";

const RECENT = 5;

type Folder = NonNullable<Forecast["folder"]>;

/** The folder as the server last saw it. Kept while other fields change. */
export function folderOf({ draft, forecastState: { forecast } }: NewSolve): Folder | null {
  const { repo_path: path, repo_url: url } = parseRepository(draft.repo);
  const isSame = path ? forecast?.ask.repo_path === path : Boolean(url?.startsWith("file:"));
  return (isSame && forecast?.folder) || null;
}

export function RepositoryField({ newSolve }: { newSolve: NewSolve }) {
  const { draft, change, error, folders } = newSolve;
  const list = useId();
  const { data: recent = [] } = useQuery(reposQuery());
  const places = recent.map((repo) => repo.repo_path || repo.repo_url).filter(Boolean);
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <Field
        label={folders ? "Repository or folder" : "Repository"}
        hint={<RepoHint newSolve={newSolve} />}
        error={error("repo")}
      >
        {(wired) => (
          <input
            {...wired}
            name="repo"
            list={list}
            value={draft.repo}
            onChange={(event) => change("repo", { repo: event.target.value })}
            onBlur={() => normalised(draft) !== draft && change("repo", normalised)}
            placeholder={folders ? "owner/repo#12, or /home/ada/passbook" : "owner/repo#12"}
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
      <Link to={pickPath(draft)} className="min-h-6 self-start text-xs text-second underline">
        Pick an issue from a repository
      </Link>
    </div>
  );
}

/**
 * Normalises the input: splits an issue URL, and selects the number for a forge's issue without
 * text.
 */
export function normalised(draft: Draft): Draft {
  const place = parseRepository(draft.repo);
  if (place.kind !== "remote" || !place.repo_url) return draft;
  if (place.number) {
    const number = String(place.number);
    return { ...draft, repo: place.repo_url, issueBy: "number", number };
  }
  const isDescribed = draft.title.trim() || draft.body.trim();
  return isDescribed || draft.issueBy === "number" ? draft : { ...draft, issueBy: "number" };
}

function pickPath(draft: Draft): string {
  const { repo } = parseRepository(draft.repo);
  return repo ? `/repos/${repo.owner}/${repo.name}` : "/repos";
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

/** Shows the recognised repository in place of the hint. */
function RepoHint({ newSolve }: { newSolve: NewSolve }) {
  const folder = folderOf(newSolve);
  const facts = folder ? factsOf(folder) : remoteOf(newSolve);
  if (!facts) {
    return newSolve.folders
      ? "owner/repo#12, an issue URL, or the absolute path of a folder on the server's machine"
      : "owner/repo#12, or an issue URL";
  }
  return (
    <span className="break-words text-soft">
      <span aria-hidden className="text-good">
        ✓{" "}
      </span>
      <Hostile text={facts} />
    </span>
  );
}

function factsOf(folder: Folder): string {
  const facts = [
    folder.repo,
    folder.branch && `on ${folder.branch}`,
    folder.commit && `at ${folder.commit.slice(0, 8)}`,
    folder.setup_from && `set-up from ${folder.setup_from}`,
    folder.dirty && "with uncommitted changes",
  ];
  return facts.filter(Boolean).join(" · ");
}

/** The repository URL as the forge spells it, once the server has found it. */
function remoteOf({ draft, forecastState }: NewSolve): string {
  const { repo } = parseRepository(draft.repo);
  const url = forecastState.isFresh ? forecastState.forecast?.ask.repo_url : "";
  const isSame = repo && url?.toLowerCase().endsWith(`/${repo.owner}/${repo.name}`.toLowerCase());
  return isSame && url ? url : "";
}
