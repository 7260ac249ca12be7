// Tasks that moved between CPUs: from the kernel's record, and by comparing two steps.

import { expect, test } from "vitest";
import type { LogEntry, View } from "../engine/types";
import { follow, type Moment, type Trail } from "./moves";

const RUN = {};

/** Tasks by CPU at a step, the first of each running; `asleep` gives the last CPU of others. */
const momentOf = (
  step: number,
  cpus: readonly (readonly number[])[],
  { asleep = {}, events = [] }: { asleep?: Record<number, number>; events?: LogEntry[] } = {},
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

const migrated = (task: number, from: number, to: number): LogEntry =>
  ({
    name: "sched_migrate_task",
    fields: [
      { name: "task", value: task },
      { name: "orig_cpu", value: from },
      { name: "dest_cpu", value: to },
    ],
  }) as unknown as LogEntry;

const moved = ({ moves }: Trail) => moves.map(({ task, from, to }) => [task, from, to]);

test("marks a waiting task that a step moved, until the next step", () => {
  const before = follow(null, RUN, momentOf(1, [[1, 2], []]), "opened");
  expect(moved(before)).toEqual([]);
  const after = follow(before, RUN, momentOf(2, [[1], [2]]), "stepped");
  expect(moved(after)).toEqual([[2, 0, 1]]);
  expect(moved(follow(after, RUN, momentOf(3, [[1], [2]]), "stepped"))).toEqual([]);
  // The same step again gives the same trail.
  expect(follow(after, RUN, momentOf(2, [[1], [2]]), "view")).toBe(after);
});

test("a task that slept has moved when it wakes up on another CPU", () => {
  let trail = follow(null, RUN, momentOf(1, [[1], []], { asleep: { 2: 0 } }), "opened");
  // A decision during its sleep is no move yet.
  trail = follow(trail, RUN, momentOf(2, [[1], []], { asleep: { 2: 1 } }), "stepped");
  expect(moved(trail)).toEqual([]);
  trail = follow(trail, RUN, momentOf(3, [[1], [2]]), "stepped");
  expect(moved(trail)).toEqual([[2, 0, 1]]);
});

test("after a jump, only a recorded move counts", () => {
  const before = follow(null, RUN, momentOf(1, [[1, 2], [3]]), "opened");
  const there = momentOf(9, [[1], [2, 3]], { events: [migrated(3, 0, 1), migrated(4, 0, 1)] });
  // Task 4 is on no CPU: it has moved on.
  expect(moved(follow(before, RUN, there, "sought"))).toEqual([[3, 0, 1]]);
  expect(moved(follow(before, {}, there, "stepped"))).toEqual([[3, 0, 1]]);
  // After a step both sources are known; each move is listed once.
  const moment = momentOf(2, [[1], [2, 3]], { events: [migrated(2, 0, 1)] });
  expect(moved(follow(before, RUN, moment, "stepped"))).toEqual([[2, 0, 1]]);
});

test("a step back shows the reverse move", () => {
  const after = follow(null, RUN, momentOf(2, [[1], [2]]), "opened");
  const back = follow(after, RUN, momentOf(1, [[1, 2], []]), "back");
  expect(moved(back)).toEqual([[2, 1, 0]]);
  expect(back.isBack).toBe(true);
  // This also holds for a task that the step had woken.
  const asleep = momentOf(1, [[1], []], { asleep: { 2: 0 } });
  expect(moved(follow(after, RUN, asleep, "back"))).toEqual([[2, 1, 0]]);
});

test("keeps a move marked for a short time during playback unless the task moves again", () => {
  let trail = follow(null, RUN, momentOf(1, [[1, 2], []]), "opened");
  trail = follow(trail, RUN, momentOf(2, [[1], [2]]), "played");
  trail = follow(trail, RUN, momentOf(3, [[1], [2]]), "played");
  expect(trail.moves).toEqual([{ task: 2, from: 0, to: 1, age: 1 }]);
  expect(moved(follow(trail, RUN, momentOf(4, [[1, 2], []]), "played"))).toEqual([[2, 1, 0]]);
  for (let step = 4; step < 60; step += 1)
    trail = follow(trail, RUN, momentOf(step, [[1], [2]]), "played");
  expect(moved(trail)).toEqual([]);
});
