import { read, store } from "@/lib/storage";

export type Theme = "dark" | "light";
export type ThemeChoice = Theme | "system";

const KEY = "yudai.theme";
const LIGHT = "(prefers-color-scheme: light)";

/** The theme that is shown now; `public/theme.js` sets it before the first paint. */
export function currentTheme(): Theme {
  return document.documentElement.dataset.theme === "light" ? "light" : "dark";
}

/**
 * The theme that the person chose. Without a stored choice it is the theme shown now, by default
 * dark.
 */
export function themeChoice(): ThemeChoice {
  const stored = read(KEY);
  return stored === "dark" || stored === "light" || stored === "system" ? stored : currentTheme();
}

export function setTheme(choice: ThemeChoice): void {
  show(choice);
  store(KEY, choice);
}

/** Applies changes of the system's preference while "system" is chosen. Returns a function that stops it. */
export function followSystemTheme(): () => void {
  const query = window.matchMedia(LIGHT);
  const update = () => {
    if (themeChoice() === "system") show("system");
  };
  query.addEventListener("change", update);
  return () => query.removeEventListener("change", update);
}

function show(choice: ThemeChoice): void {
  const theme = choice === "system" ? systemTheme() : choice;
  document.documentElement.dataset.theme = theme;
}

function systemTheme(): Theme {
  return window.matchMedia(LIGHT).matches ? "light" : "dark";
}
