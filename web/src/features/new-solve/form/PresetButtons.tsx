import { FieldGroup } from "@/features/new-solve/form/FieldGroup";
import { PRESETS, presetOf, withPreset } from "@/features/new-solve/state/presets";
import type { NewSolve } from "@/features/new-solve/state/useNewSolve";

export function PresetButtons({ newSolve: { draft, change } }: { newSolve: NewSolve }) {
  const now = presetOf(draft);
  return (
    <FieldGroup legend="Presets" hint="contestants with their limits">
      <div className="grid gap-2 @lg:grid-cols-2">
        {PRESETS.map((preset) => (
          <button
            key={preset.id}
            type="button"
            aria-pressed={preset.id === now}
            onClick={() => change("matrix.models", (before) => withPreset(before, preset))}
            className="card-live flex min-w-0 flex-col gap-0.5 px-3 py-2 text-left text-sm aria-pressed:border-accent-text"
          >
            <span>
              <span aria-hidden className="text-accent-text">
                {preset.id === now ? "◆ " : "◇ "}
              </span>
              {preset.name}
            </span>
            <span className="text-xs text-muted">{preset.line}</span>
          </button>
        ))}
      </div>
    </FieldGroup>
  );
}
