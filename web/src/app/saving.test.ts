import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Saving } from "./saving";
import type { WorkbenchStore } from "./store";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** An idle machine, and a mock of the request for its hash. */
function resting(askHash = vi.fn(() => new Promise<never>(() => {}))) {
  const state = { engine: { kind: "ready" }, session: { frame: { mode: { kind: "paused" } } } };
  const store = { getState: () => state } as unknown as WorkbenchStore;
  return { askHash, saving: new Saving(store, { askHash, ownsAddress: false }) };
}

test("saves once, shortly after the last change", () => {
  const { askHash, saving } = resting();
  for (let change = 0; change < 5; change += 1) saving.soon();
  vi.advanceTimersByTime(100);
  expect(askHash).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1000);
  expect(askHash).toHaveBeenCalledTimes(1);
});

test("saves continuous changes within half a second", () => {
  const { askHash, saving } = resting();
  const saved: number[] = [];
  for (let ms = 0; ms < 3000; ms += 50) {
    saving.soon();
    vi.advanceTimersByTime(50);
    if (askHash.mock.calls.length > saved.length) saved.push(ms + 50);
  }
  const gaps = saved.map((ms, i) => ms - (saved[i - 1] ?? 0));
  expect(saved.length).toBeGreaterThan(4);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(500);
  // Not every change is saved separately.
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(300);
});

test("a reload waits until the engine has reported its position", async () => {
  let answer: (at: object) => void = () => {};
  const askHash = vi.fn(() => new Promise<never>((resolve) => (answer = resolve as never)));
  const { saving } = resting(askHash);
  const saved = vi.fn();
  void saving.beforeReload().then(saved);
  await vi.advanceTimersByTimeAsync(100);
  expect(saved).not.toHaveBeenCalled();
  answer({ hash: "", position: { step: 1, time_ns: 0 } });
  await vi.advanceTimersByTimeAsync(0);
  expect(saved).toHaveBeenCalledTimes(1);
});

test("a reload waits at most two seconds for an engine that does not answer", async () => {
  const { saving } = resting();
  const saved = vi.fn();
  void saving.beforeReload().then(saved);
  await vi.advanceTimersByTimeAsync(2000);
  expect(saved).toHaveBeenCalledTimes(1);
});
