// Before the first paint, so that nothing flashes; a file of its own, because the policy allows no inline script.
(() => {
  let kept = null;
  try {
    kept = localStorage.getItem("yudai.theme");
  } catch {
    // Storage may be forbidden: the system's choice then holds.
  }
  const light = window.matchMedia("(prefers-color-scheme: light)").matches;
  const theme = kept === "dark" || kept === "light" ? kept : light ? "light" : "dark";
  document.documentElement.dataset.theme = theme;
})();
