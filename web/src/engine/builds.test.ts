import { expect, test, vi } from "vitest";
import { Builds } from "./builds";
import type { Checked, Reading } from "./reading";
import type { Opened } from "./types";

const module = new WebAssembly.Module(
  Uint8Array.of(0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00),
);
const checked = { kind: "checked", plan: new Uint8Array(), opened: {} as Opened } as const;
const small: Checked = { ...checked, whole: false };
const big: Checked = { ...checked, whole: true };

function two() {
  const first = { name: "first", free: vi.fn() };
  const whole = { name: "whole", free: vi.fn() };
  const load = vi.fn(() => Promise.resolve(module));
  const start = vi.fn(() => whole);
  return { first, whole, load, start, builds: new Builds(load, start) };
}

test("what does without the whole engine waits for nothing and stays where it is", () => {
  const { builds, first, load } = two();
  expect(builds.ready(small)).toBe(small);
  const refused: Reading = { kind: "refused", refusals: [], nearest: null };
  expect(builds.ready(refused)).toBe(refused);
  expect(builds.engineFor(small, first)).toBe(first);
  expect(load).not.toHaveBeenCalled();
});

test("the whole engine is loaded once, takes the first one's place, and runs all that follows", async () => {
  const { builds, first, whole, load, start } = two();
  await Promise.all([builds.ready(big), builds.ready(big)]);
  expect(load).toHaveBeenCalledTimes(1);
  // Something that does without it may be opened meanwhile.
  expect(builds.engineFor(small, first)).toBe(first);
  expect(first.free).not.toHaveBeenCalled();
  expect(builds.engineFor(big, first)).toBe(whole);
  expect(first.free).toHaveBeenCalledTimes(1);
  expect(start).toHaveBeenCalledWith(module);
  for (const each of [small, big]) {
    expect(builds.ready(each)).toBe(each);
    expect(builds.engineFor(each, whole)).toBe(whole);
  }
  expect(whole.free).not.toHaveBeenCalled();
});

test("when it does not load nothing changes, and who asks next tries again", async () => {
  const { builds, first, load } = two();
  load.mockRejectedValueOnce(new Error("Failed to fetch"));
  await expect(builds.ready(big)).rejects.toThrow("Failed to fetch");
  expect(builds.engineFor(small, first)).toBe(first);
  expect(first.free).not.toHaveBeenCalled();
  await builds.ready(big);
  expect(load).toHaveBeenCalledTimes(2);
});

test("where a worker begins with it there is nothing to load", () => {
  const { load, start, whole } = two();
  const builds = new Builds(load, start, true);
  expect(builds.ready(big)).toBe(big);
  expect(builds.engineFor(big, whole)).toBe(whole);
  expect(load).not.toHaveBeenCalled();
  expect(start).not.toHaveBeenCalled();
});
