import { useState } from "react";
import { useStored } from "@/lib/storage";
import { setTheme, type ThemeChoice, themeChoice } from "@/lib/theme";

const THEMES: readonly { id: ThemeChoice; name: string }[] = [
  { id: "dark", name: "Dark (Terminal Precision)" },
  { id: "light", name: "Light" },
  { id: "system", name: "System" },
];

export function Appearance() {
  const [theme, choose] = useState(themeChoice);
  const [keys, setKeys] = useStored("yudai.keys", "on");
  return (
    <section aria-labelledby="look" className="card flex flex-col gap-3 p-4 text-sm">
      <h2 id="look" className="text-base font-semibold">
        Appearance and shortcuts
      </h2>
      <fieldset className="flex flex-wrap gap-4">
        <legend className="mb-1 text-soft">Theme</legend>
        {THEMES.map(({ id, name }) => (
          <label key={id} className="flex min-h-6 items-center gap-2">
            <input
              type="radio"
              name="theme"
              className="size-4 accent-(--accent)"
              checked={theme === id}
              onChange={() => {
                setTheme(id);
                choose(id);
              }}
            />
            {name}
          </label>
        ))}
      </fieldset>
      <label className="flex min-h-6 items-center gap-2">
        <input
          type="checkbox"
          className="size-4 accent-(--accent)"
          checked={keys === "on"}
          onChange={(event) => setKeys(event.target.checked ? "on" : "off")}
        />
        Single-key shortcuts (press ? for the list)
      </label>
    </section>
  );
}
