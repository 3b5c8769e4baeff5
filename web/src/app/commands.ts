import type { SolveSummary } from "@/api/types";
import { short } from "@/lib/format";
import { currentTheme, setTheme } from "@/lib/theme";

export interface Command {
  id: string;
  name: string;
  hint: string;
  run: () => void;
}

type Go = (to: string) => void;

/** Commands for the solve that is shown. */
function commandsOfSolve(go: Go, path: string): Command[] {
  const here = /^\/solves\/[^/]+/.exec(path)?.[0];
  if (!here) return [];
  const views: [string, string][] = [
    ["The solve", here],
    ["Compare contestants", `${here}/compare`],
    ["The champion's diff", `${here}?view=diff`],
    ["The champion's verification", `${here}?view=verification`],
    ["Scorecard", `${here}?view=scorecard`],
    ["Events of this solve", `${here}?view=events`],
    ["Open the conversation", `${here}?talk=1`],
  ];
  return views.map(([name, to]) => ({ id: to, name, hint: "this solve", run: () => go(to) }));
}

export function commandsOf(go: Go, path: string): Command[] {
  const places: [string, string, string][] = [
    ["New solve", "/new", "n"],
    ["All solves", "/", "g r"],
    ["Solves awaiting review", "/?state=review", ""],
    ["Repositories", "/repos", "g i"],
    ["Conversations", "/conversations", "g m"],
    ["Cost", "/cost", "g c"],
    ["Sandboxes and prepared bases", "/sandboxes", "g b"],
    ["Settings", "/settings", "g s"],
  ];
  return [
    ...commandsOfSolve(go, path),
    ...places.map(([name, to, hint]) => ({ id: to, name, hint, run: () => go(to) })),
    {
      id: "theme",
      name: currentTheme() === "dark" ? "Light theme" : "Dark theme",
      hint: "",
      run: () => setTheme(currentTheme() === "dark" ? "light" : "dark"),
    },
  ];
}

export function solveCommands(solves: readonly SolveSummary[], go: Go): Command[] {
  return solves.map((solve) => ({
    id: solve.id,
    name: solve.issue,
    hint: `${solve.repo} · ${solve.state.replace("_", " ")} · ${short(solve.id)}`,
    run: () => go(`/solves/${solve.id}`),
  }));
}

/** Commands that contain every typed word, in any order. */
export function matching(commands: readonly Command[], typed: string): Command[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return commands.filter((command) => {
    const text = `${command.name} ${command.hint}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
