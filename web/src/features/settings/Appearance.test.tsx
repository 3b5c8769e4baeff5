import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Appearance } from "@/features/settings/Appearance";

beforeEach(() => {
  localStorage.clear();
  document.documentElement.dataset.theme = "dark";
  vi.stubGlobal("matchMedia", () => ({ matches: true }));
});

afterEach(() => vi.unstubAllGlobals());

test("selects dark by default, and stores light or system as a choice", async () => {
  render(<Appearance />);
  expect(screen.getByLabelText("Dark (Terminal Precision)")).toBeChecked();
  await userEvent.click(screen.getByLabelText("Light"));
  expect(localStorage.getItem("yudai.theme")).toBe("light");
  await userEvent.click(screen.getByLabelText("System"));
  expect(screen.getByLabelText("System")).toBeChecked();
  expect(localStorage.getItem("yudai.theme")).toBe("system");
  expect(document.documentElement.dataset.theme).toBe("light");
});

test("shows a stored system choice", () => {
  localStorage.setItem("yudai.theme", "system");
  render(<Appearance />);
  expect(screen.getByLabelText("System")).toBeChecked();
});
