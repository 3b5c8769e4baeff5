// Runs before the first paint so that no other theme flashes. A separate file: the policy allows no inline script.
// Dark is the default; only a stored choice of "system" asks for the system's preference. lib/theme.ts decides alike.
(() => {
  let choice = null;
  try {
    choice = localStorage.getItem("yudai.theme");
  } catch {
    // Storage may be forbidden: the default applies.
  }
  const isLight =
    choice === "light" ||
    (choice === "system" && window.matchMedia("(prefers-color-scheme: light)").matches);
  const theme = isLight ? "light" : "dark";
  document.documentElement.dataset.theme = theme;
  // The browser paints its canvas by this until the style sheet is there.
  const meta = document.querySelector('meta[name="color-scheme"]');
  if (meta) meta.content = theme;
})();
