import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { PAYLOADS } from "@/testing/payloads";
import { Ansi } from "@/ui/Ansi";
import { Log, linesWith } from "@/ui/Log";

describe("Ansi", () => {
  it.each(PAYLOADS)("shows %j as text", (payload) => {
    const { container } = render(<Ansi text={payload} />);
    const names = [...container.querySelectorAll("*")].map(({ tagName }) => tagName);
    expect(names.filter((name) => !["BDI", "SPAN", "MARK"].includes(name))).toEqual([]);
    for (const element of container.querySelectorAll("*")) {
      expect([...element.attributes].every(({ name }) => name === "class")).toBe(true);
    }
  });

  it("shows invisible characters", () => {
    render(<Ansi text={"a\u202eb"} />);
    expect(screen.getByText("U+202E")).toBeInTheDocument();
  });

  it("does not create an element for each of many hidden characters", () => {
    const { container } = render(<Ansi text={"\u200b".repeat(5000)} />);
    expect(container.querySelectorAll("*").length).toBeLessThan(5);
  });
});

describe("Log", () => {
  it("shows its length and the number of matches", async () => {
    render(<Log text={"one\ntwo\n\u001b[31mthree\u001b[0m\ntwo"} label="tests" />);
    expect(screen.getByText(/4 lines/)).toBeInTheDocument();
    await userEvent.type(screen.getByRole("searchbox"), "TWO");
    expect(await screen.findByText("1/2")).toBeInTheDocument();
    await userEvent.keyboard("{Enter}");
    expect(screen.getByText("2/2")).toBeInTheDocument();
  });

  it("finds text across colour changes", () => {
    expect(linesWith(["a", "th\u001b[1mr\u001b[0mee"], "three")).toEqual([1]);
  });
});
