import { expect, test } from "vitest";
import type { LogAct, LogAnswer } from "../../engine/log";
import { Axis } from "./axis";

/** A reader whose run has these rows, in slices. */
function reader(slices: readonly (readonly number[])[], ends: readonly number[]) {
  const asked: LogAct[] = [];
  let next = 0;
  const ask = async (act: LogAct): Promise<LogAnswer> => {
    asked.push(act);
    const rows = Float64Array.from(slices[next] ?? []);
    const at = ends[next] ?? 0;
    next += 1;
    return { kind: "log", at, isDone: next >= slices.length, isWhole: true, rows };
  };
  return { ask, asked };
}

test("counts the progress of a program and finds the step of a count", async () => {
  const { ask, asked } = reader([[3, 1, 5, 4], [], [12, 1]], [6, 10, 20]);
  const axis = new Axis(ask, { kind: "program", task: 2 });
  expect(await axis.countAt(4)).toBe(1);
  expect(asked).toHaveLength(1);
  expect(await axis.countAt(2)).toBe(0);
  expect(await axis.stepOf(3)).toBe(5);
  expect(asked).toHaveLength(1);
  expect(await axis.stepOf(6)).toBe(12);
  expect(asked).toHaveLength(3);
  expect(await axis.stepOf(7)).toBeNull();
  expect(await axis.countAt(1000)).toBe(6);
});

test("counts events of one kind even if several share a step", async () => {
  const row = (step: number) => [8, step, 0, 0, 0, 0, 7, 0];
  const { ask } = reader([[...row(10), ...row(10), ...row(30)]], [40]);
  const axis = new Axis(ask, { kind: "event", record: 7 });
  expect(await axis.countAt(9)).toBe(0);
  expect(await axis.countAt(10)).toBe(2);
  expect(await axis.stepOf(1)).toBe(10);
  expect(await axis.stepOf(3)).toBe(30);
  expect(await axis.stepOf(0)).toBe(0);
});

test("reports a run that cannot be read again", async () => {
  const ask = async (): Promise<LogAnswer> => ({
    kind: "log",
    at: 5,
    isDone: true,
    isWhole: false,
    rows: new Float64Array(),
  });
  const axis = new Axis(ask, { kind: "event", record: 7 });
  await expect(axis.countAt(3)).rejects.toThrow(/not enough memory/);
});
