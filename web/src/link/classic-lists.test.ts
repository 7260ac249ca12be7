import { expect, test } from "vitest";
import { sweepWithClassicLists, withClassicLists } from "./classic-lists";

const PATH = "tunables.lru_gen.enabled";

test("an old experiment on 6.12 gets the tunable of the classic lists", () => {
  const old = { kernel: "6.12", machine: "m", tunables: { "vm.swappiness": "10" } };
  expect(withClassicLists(old)).toEqual({
    ...old,
    tunables: { "vm.swappiness": "10", "lru_gen.enabled": "0" },
  });
  expect(withClassicLists({ kernel: "6.12" })).toEqual({
    kernel: "6.12",
    tunables: { "lru_gen.enabled": "0" },
  });
});

test.each([
  [{ kernel: "6.1", machine: "m" }],
  [{ kernel: "6.12", tunables: { "lru_gen.enabled": "7" } }],
  [{ kernel: "6.12", machine: { tunables: { "lru_gen.enabled": "3" } } }],
  [{ kernel: "6.12", tunables: "wrong" }],
])("an experiment that names its lists, or runs on another kernel, stays as it is: %j", (same) => {
  expect(withClassicLists(same)).toBe(same);
});

test("an old sweep on 6.12 gets the tunable of the classic lists as an axis", () => {
  const base = { experiment: { kernel: "6.12" }, axes: { seed: [1, 2] } };
  expect(sweepWithClassicLists(base).axes).toEqual({ seed: [1, 2], [PATH]: [0] });
  const byAxis = { experiment: "anon-hog.teach", axes: { kernel: ["6.1", "6.12"] } };
  expect(sweepWithClassicLists(byAxis).axes).toEqual({ kernel: ["6.1", "6.12"], [PATH]: [0] });
});

test.each([
  [{ experiment: "anon-hog.teach", axes: {} }],
  [{ experiment: { kernel: "6.1" }, axes: { seed: [1] } }],
  [{ experiment: "anon-hog.teach", axes: { kernel: ["3.0", "6.12"] } }],
  [{ experiment: "anon-hog.teach", axes: { kernel: ["6.12"], [PATH]: [0, 7] } }],
  [{ experiment: { kernel: "6.12", tunables: { "lru_gen.enabled": 7 } }, axes: {} }],
])("a sweep that names its lists or cannot take the tunable stays as it is: %j", (same) => {
  expect(sweepWithClassicLists(same)).toBe(same);
});
