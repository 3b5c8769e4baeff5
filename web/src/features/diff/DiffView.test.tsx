import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";
import { DiffView } from "@/features/diff/DiffView";

const INDEX = `index ${"1".repeat(40)}..${"2".repeat(40)} 100644`;

function fileOf(path: string, ...lines: string[]): string {
  const old = lines.filter((line) => !line.startsWith("+")).length;
  const now = lines.filter((line) => !line.startsWith("-")).length;
  const head = [`diff --git a/${path} b/${path}`, INDEX, `--- a/${path}`, `+++ b/${path}`];
  return [...head, `@@ -1,${old} +1,${now} @@`, ...lines, ""].join("\n");
}

const show = (patch: string) => render(<DiffView patch={patch} label="me" download="/patch" />);

beforeEach(() => localStorage.clear());

describe("a diff", () => {
  it("lists its files with their counts and links to the whole patch", () => {
    show(fileOf("a.py", "-x", "+y") + fileOf("b.py", "+z"));
    const list = within(screen.getByRole("navigation", { name: "Files of the patch" }));
    expect(list.getAllByRole("button").map((button) => button.textContent)).toEqual([
      expect.stringContaining("a.py"),
      expect.stringContaining("b.py"),
    ]);
    expect(screen.getByRole("link", { name: "Download" })).toHaveAttribute("href", "/patch");
  });

  it("is empty when nothing changed", () => {
    show("");
    expect(screen.getByText("No changes")).toBeInTheDocument();
  });

  it("hides and shows a file", async () => {
    show(fileOf("a.py", "-x", "+why"));
    await userEvent.click(screen.getByRole("button", { name: "Hide a.py" }));
    expect(screen.queryByText("why")).not.toBeInTheDocument();
    await userEvent.click(screen.getByRole("button", { name: "Show a.py" }));
    expect(screen.getByText("why")).toBeInTheDocument();
  });

  it("keeps the layout that was chosen", async () => {
    const { unmount } = show(fileOf("a.py", "-x", "+y"));
    await userEvent.click(screen.getByRole("button", { name: "Split" }));
    unmount();
    show(fileOf("a.py", "-x", "+y"));
    expect(screen.getByRole("button", { name: "Split" })).toHaveAttribute("aria-pressed", "true");
    expect(document.querySelector(".diff-split")).not.toBeNull();
  });

  it("says what is hidden when whitespace is ignored", async () => {
    show(fileOf("a.py", "-  x", "-one", "+    x", "+two"));
    await userEvent.click(screen.getByRole("checkbox", { name: "Ignore whitespace" }));
    expect(screen.getByText(/1 line that differs only in whitespace/)).toBeInTheDocument();
    expect(screen.getByText(/In Python, YAML or a Makefile/)).toBeInTheDocument();
  });

  it("shows a large file only on request and in parts", async () => {
    const { container } = show(
      fileOf("big.py", ...Array.from({ length: 4000 }, (_, at) => `+line ${at}`)),
    );
    const lines = () => container.querySelectorAll(".diff-line").length;
    expect(lines()).toBe(0);
    await userEvent.click(screen.getByRole("button", { name: "Show the first 1,000 lines" }));
    expect(lines()).toBe(1000);
    expect(container.textContent).toContain("Showing 1,000 of 4,000 lines.");
  }, 20_000);
});

describe("hostile content", () => {
  it("is shown as text, with hidden characters visible", () => {
    const { container } = show(
      fileOf("x.py", "-if admin:", "+if admin\u200b: # \u202e}", "+<img src=x onerror=alert(1)>"),
    );
    expect(container.querySelector("img, script")).toBeNull();
    expect(screen.getByText("U+200B")).toBeInTheDocument();
    expect(screen.getByText("U+202E")).toBeInTheDocument();
    expect(screen.getByText("<img src=x onerror=alert(1)>")).toBeInTheDocument();
    expect(container.textContent).not.toMatch(/[\u200b\u202e]/u);
  });

  it("is shown in file names and hunk titles", () => {
    const odd = '"a/\\342\\200\\256<b>.py" "b/\\342\\200\\256<b>.py"';
    const { container } = show(
      `diff --git ${odd}\n${INDEX}\n@@ -1 +1 @@ class \u202e<i>\n-a\n+b\nrubbish \u2066`,
    );
    expect(container.querySelector("b, i")).toBeNull();
    expect(container.innerHTML).not.toMatch(/[\u202e\u2066]/u);
    expect(screen.getByText(/could not be parsed as a patch/)).toBeInTheDocument();
  });
});
