// Who moved between CPUs: from the record of it, and from one moment to the next.

import { expect, test } from "vitest";
import type { Told, View } from "../engine/types";
import { follow, type Moment, type Trail } from "./moves";

const RUN = {};

/** A moment of tasks by CPU, the first of each running; `asleep` were last on the CPU that is said. */
const momentOf = (
  step: number,
  cpus: readonly (readonly number[])[],
  { asleep = {}, events = [] }: { asleep?: Record<number, number>; events?: Told[] } = {},
): Moment => {
  const on = cpus.flatMap((tasks, cpu) => tasks.map((id) => [id, cpu] as const));
  const tasks = [...on, ...Object.entries(asleep).map(([id, cpu]) => [Number(id), cpu] as const)];
  return {
    position: { step, time_ns: step, ended: false },
    tasks: tasks.map(([id, cpu]) => ({ id, cpu })) as View["tasks"],
    cpus: cpus.map(([running = null, ...waiting], id) => ({
      id,
      running,
      waiting,
    })) as View["cpus"],
    events,
  };
};

const migrated = (task: number, from: number, to: number): Told =>
  ({
    name: "sched_migrate_task",
    fields: [
      { name: "task", value: task },
      { name: "orig_cpu", value: from },
      { name: "dest_cpu", value: to },
    ],
  }) as unknown as Told;

const moved = ({ moves }: Trail) => moves.map(({ task, from, to }) => [task, from, to]);

test("a step that moves a waiting task marks it, and the next step no longer does", () => {
  const before = follow(null, RUN, momentOf(1, [[1, 2], []]), "opened");
  expect(moved(before)).toEqual([]);
  const after = follow(before, RUN, momentOf(2, [[1], [2]]), "stepped");
  expect(moved(after)).toEqual([[2, 0, 1]]);
  expect(moved(follow(after, RUN, momentOf(3, [[1], [2]]), "stepped"))).toEqual([]);
  // The same moment once more is the same.
  expect(follow(after, RUN, momentOf(2, [[1], [2]]), "view")).toBe(after);
});

test("a task that slept has moved when it is woken on another CPU", () => {
  let trail = follow(null, RUN, momentOf(1, [[1], []], { asleep: { 2: 0 } }), "opened");
  // What is decided while it sleeps is no move yet.
  trail = follow(trail, RUN, momentOf(2, [[1], []], { asleep: { 2: 1 } }), "stepped");
  expect(moved(trail)).toEqual([]);
  trail = follow(trail, RUN, momentOf(3, [[1], [2]]), "stepped");
  expect(moved(trail)).toEqual([[2, 0, 1]]);
});

test("after a jump only what was recorded is a move", () => {
  const before = follow(null, RUN, momentOf(1, [[1, 2], [3]]), "opened");
  const there = momentOf(9, [[1], [2, 3]], { events: [migrated(3, 0, 1), migrated(4, 0, 1)] });
  // Task 4 is on no CPU: it has moved on.
  expect(moved(follow(before, RUN, there, "sought"))).toEqual([[3, 0, 1]]);
  expect(moved(follow(before, {}, there, "stepped"))).toEqual([[3, 0, 1]]);
  // By a step both are known, each once.
  const told = momentOf(2, [[1], [2, 3]], { events: [migrated(2, 0, 1)] });
  expect(moved(follow(before, RUN, told, "stepped"))).toEqual([[2, 0, 1]]);
});

test("a step back shows the way back", () => {
  const after = follow(null, RUN, momentOf(2, [[1], [2]]), "opened");
  const back = follow(after, RUN, momentOf(1, [[1, 2], []]), "back");
  expect(moved(back)).toEqual([[2, 1, 0]]);
  expect(back.isBack).toBe(true);
  // Also of a task that was woken by the step.
  const asleep = momentOf(1, [[1], []], { asleep: { 2: 0 } });
  expect(moved(follow(after, RUN, asleep, "back"))).toEqual([[2, 1, 0]]);
});

test("while it plays a move stays marked for some moments, unless the task moves on", () => {
  let trail = follow(null, RUN, momentOf(1, [[1, 2], []]), "opened");
  trail = follow(trail, RUN, momentOf(2, [[1], [2]]), "played");
  trail = follow(trail, RUN, momentOf(3, [[1], [2]]), "played");
  expect(trail.moves).toEqual([{ task: 2, from: 0, to: 1, age: 1 }]);
  expect(moved(follow(trail, RUN, momentOf(4, [[1, 2], []]), "played"))).toEqual([[2, 1, 0]]);
  for (let step = 4; step < 60; step += 1)
    trail = follow(trail, RUN, momentOf(step, [[1], [2]]), "played");
  expect(moved(trail)).toEqual([]);
});
