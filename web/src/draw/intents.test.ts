// Arcs for decisions about the CPU of a task: moves, flips, refusals.

import { expect, test } from "vitest";
import { intentsOf } from "./intents";

const TASKS = [
  { id: 1, cpu: 0 },
  { id: 2, cpu: 8 },
];

const decision = (name: string, fields: Readonly<Record<string, number>>) => ({
  name,
  fields: Object.entries(fields).map(([field, value]) => ({ name: field, value })),
});

const waysOf = (...placing: readonly ReturnType<typeof decision>[]) =>
  intentsOf({ placing, tasks: TASKS }).map(({ task, from, to, isRefused }) => [
    task,
    from,
    "cpu" in to ? `CPU ${to.cpu}` : `node ${to.node}`,
    isRefused ? "refused" : "goes",
  ]);

test("an exchange gives two arcs, one for each task", () => {
  expect(waysOf(decision("NumaFlips", { task: 1, other: 2, cpu: 8, node: 1 }))).toEqual([
    [1, 0, "CPU 8", "goes"],
    [2, 8, "CPU 0", "goes"],
  ]);
  expect(waysOf(decision("NumaSwap", { task: 1, other: 2, cpu: 8, gain: 120 }))).toHaveLength(2);
});

test("draws no move for a CPU that must be proposed again", () => {
  expect(
    waysOf(
      decision("BuddiesGo", { task: 1, cpu: 8, node: 1, here: 2, buddies: 5 }),
      decision("NumaProposed", { task: 1, cpu: 8 }),
    ),
  ).toEqual([[1, 0, "CPU 8", "refused"]]);
});

test("draws an arc to the CPU for a veto and to the node if the node is full", () => {
  const veto = { task: 2, cpu: 3, node: 1, strength: 900 };
  expect(waysOf(decision("BalanceConverged", veto))).toEqual([[2, 8, "CPU 3", "refused"]]);
  const full = { task: 1, node: 1, load: 9, capacity: 8 };
  expect(waysOf(decision("SpreadNoRoom", full))).toEqual([[1, 0, "node 1", "refused"]]);
  expect(waysOf(decision("NumaStick", { task: 1, preferred: 2 }))).toEqual([
    [1, 0, "node 2", "refused"],
  ]);
});

test("draws no arc for tasks that stay or are unknown", () => {
  expect(waysOf(decision("BuddiesStay", { task: 1, here: 4 }))).toEqual([]);
  expect(waysOf(decision("NumaGoes", { task: 1, cpu: 0, node: 0 }))).toEqual([]);
  expect(waysOf(decision("NumaGoes", { task: 9, cpu: 0, node: 0 }))).toEqual([]);
});
