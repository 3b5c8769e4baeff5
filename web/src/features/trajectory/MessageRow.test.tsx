import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import type { MessageView } from "@/api/types";
import { MessageRow } from "@/features/trajectory/MessageRow";
import { message, turn } from "@/testing/message";
import { PAYLOADS } from "@/testing/payloads";

const acts = { select: vi.fn(), toggle: vi.fn(), copy: vi.fn() };
const PARTS = "ARTICLE HEADER BUTTON SPAN PRE P BDI MARK CODE".split(" ");

function show(view: MessageView, { isOpen = false, isSelected = false, about = "" } = {}) {
  const place = { isFirst: true, isLast: true, index: 0, measure: () => undefined };
  const look = { isOpen, isSelected, about, isFresh: false };
  return render(<MessageRow message={view} {...place} {...look} acts={acts} />);
}

describe("a message", () => {
  it.each(PAYLOADS)("shows %j as text in every field", (payload) => {
    const hostile = { text: payload, role: payload, commands: [payload] };
    for (const kind of ["thought", "output"] as const) {
      const { container } = show(message(1, { ...hostile, kind }), { about: payload });
      const names = [...container.querySelectorAll("*")].map(({ tagName }) => tagName);
      expect(names.filter((name) => !PARTS.includes(name))).toEqual([]);
    }
  });

  it("shows its number, role, duration, cost and exit code", () => {
    const facts = { seq: 57, ms: 4100, cost_usd: 0.009, exit_code: 1, is_test: true, edit: 3 };
    show(message(57, facts));
    for (const text of ["#57", "tool", /4\.1s · \$0\.0090/, /exit 1/, /test/, /edit 3/]) {
      expect(screen.getByText(text)).toBeInTheDocument();
    }
  });

  it("expands with a button that shows the number of hidden lines", async () => {
    show(turn(3, 1, Array.from({ length: 36 }, (_, at) => `echo ${at}`).join("\n")));
    await userEvent.click(screen.getByRole("button", { name: "show 24 more lines" }));
    expect(acts.toggle).toHaveBeenCalledWith(3);
  });

  it("shows that the server cut it, with a link to the complete text", () => {
    show(message(4, { text: "x".repeat(16 * 1024), truncated: true, bytes: 2.1 * 2 ** 20 }));
    expect(screen.getByText(/showing 16 KB of 2\.1 MB/)).toBeInTheDocument();
    expect(screen.getByRole("link", { name: "download" })).toHaveAttribute(
      "href",
      expect.stringContaining("/raw"),
    );
  });

  it("shows its actions when it is selected", () => {
    show(message(5), { isSelected: true });
    expect(screen.getByRole("article")).toHaveAttribute("aria-current", "true");
    expect(screen.getByRole("button", { name: "copy link" })).toBeInTheDocument();
  });
});
