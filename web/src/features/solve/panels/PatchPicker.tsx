import type { PlaceEntry } from "@/api/types";
import { shown } from "@/lib/hostile";

interface Props {
  ranking: readonly PlaceEntry[];
  champion: string | null;
  runId: string;
  choose: (runId: string) => void;
}

/** Selects the run whose patch is shown: the champion or any run with a patch. */
export function PatchPicker({ ranking, champion, runId, choose }: Props) {
  const choices = ranking.filter((place) => place.files_changed > 0 || place.run_id === runId);
  if (!choices.length) return null;
  return (
    <label className="mb-3 flex min-w-0 items-center gap-2 text-sm text-muted">
      patch of
      <select
        value={runId}
        onChange={(event) => choose(event.target.value)}
        className="min-h-8 max-w-full min-w-0 rounded-md border border-control bg-ground px-2 text-text"
      >
        {choices.map((place) => (
          <option key={place.run_id} value={place.run_id}>
            {place.run_id === champion ? "★ " : ""}
            {place.rank}. {shown(place.handle)}
          </option>
        ))}
      </select>
    </label>
  );
}
