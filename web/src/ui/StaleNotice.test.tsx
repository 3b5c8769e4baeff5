import { act, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { StaleNotice } from "@/ui/StaleNotice";

const NOW = 1_800_000_000_000;

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
});
afterEach(() => vi.useRealTimers());

test("says how old the data is, and counts down to the next attempt", () => {
  const { container } = render(<StaleNotice at={NOW - 14_000} next={NOW + 3500} retry={vi.fn()} />);
  expect(container).toHaveTextContent("not responding: data 14s old, retrying in 4s.");
  act(() => vi.advanceTimersByTime(2000));
  expect(container).toHaveTextContent("data 16s old, retrying in 2s.");
  act(() => vi.advanceTimersByTime(2000));
  expect(container).toHaveTextContent("data 18s old, retrying ….");
});

test("without data and without a next attempt, only the button retries", () => {
  const retry = vi.fn();
  const { container } = render(<StaleNotice at={0} retry={retry} />);
  expect(container).toHaveTextContent("not responding: no data yet.");
  fireEvent.click(screen.getByRole("button", { name: "Retry now" }));
  expect(retry).toHaveBeenCalledOnce();
});
