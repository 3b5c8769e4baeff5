import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { currentTheme, followSystemTheme, setTheme, themeChoice } from "@/lib/theme";
import html from "../../index.html?raw";
import script from "../../public/theme.js?raw";

const system = { isLight: true, changed: () => {} };

beforeEach(() => {
  localStorage.clear();
  system.isLight = true;
  delete document.documentElement.dataset.theme;
  document.head.innerHTML = '<meta name="color-scheme" content="dark">';
  vi.stubGlobal("matchMedia", () => ({
    get matches() {
      return system.isLight;
    },
    addEventListener: (_: string, changed: () => void) => {
      system.changed = changed;
    },
    removeEventListener: () => {
      system.changed = () => {};
    },
  }));
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** Runs the script that the page runs before its first paint. */
function load(): void {
  // biome-ignore lint/security/noGlobalEval: our own file, run as the browser runs a classic script
  window.eval(script);
}

function canvas(): string | null | undefined {
  return document.querySelector('meta[name="color-scheme"]')?.getAttribute("content");
}

test("uses the dark theme by default, even when the system prefers light", () => {
  load();
  expect(currentTheme()).toBe("dark");
  expect(themeChoice()).toBe("dark");
  expect(canvas()).toBe("dark");
});

test("shows the page in dark before any script has run", () => {
  const page = new DOMParser().parseFromString(html, "text/html");
  expect(page.documentElement.dataset.theme).toBe("dark");
  expect(page.querySelector('meta[name="color-scheme"]')?.getAttribute("content")).toBe("dark");
});

test.each([
  ["dark", true, "dark"],
  ["light", false, "light"],
  ["system", true, "light"],
  ["system", false, "dark"],
  ["nonsense", true, "dark"],
])("%s is stored, the system prefers light: %s", (stored, isLight, shown) => {
  localStorage.setItem("yudai.theme", stored);
  system.isLight = isLight;
  load();
  expect(currentTheme()).toBe(shown);
  expect(canvas()).toBe(shown);
});

test("uses the default when storage is forbidden, and keeps a choice until the page is closed", () => {
  const forbid = () => {
    throw new Error("forbidden");
  };
  vi.spyOn(Storage.prototype, "getItem").mockImplementation(forbid);
  vi.spyOn(Storage.prototype, "setItem").mockImplementation(forbid);
  load();
  expect(currentTheme()).toBe("dark");
  setTheme("light");
  expect(currentTheme()).toBe("light");
  expect(themeChoice()).toBe("light");
});

test("stores a choice, which applies after a reload", () => {
  setTheme("light");
  delete document.documentElement.dataset.theme;
  load();
  expect(currentTheme()).toBe("light");
  expect(themeChoice()).toBe("light");
});

test('follows the system\'s preference only while "system" is chosen', () => {
  const stop = followSystemTheme();
  setTheme("system");
  expect(currentTheme()).toBe("light");
  system.isLight = false;
  system.changed();
  expect(currentTheme()).toBe("dark");
  setTheme("light");
  system.changed();
  expect(currentTheme()).toBe("light");
  stop();
});
