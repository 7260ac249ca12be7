import { expect, test } from "vitest";
import { cpuTimesOf, totalOf } from "./cpu-times";

const row = (task: string, user_ns: number, kernel_ns: number) => ({ task, user_ns, kernel_ns });

test("joins both runs by task: kswapd first, then the task that used most", () => {
  const a = { cpu: [row("dd/1", 10, 20), row("kswapd0", 0, 5)] };
  const b = { cpu: [row("cat/2", 50, 1), row("kswapd1", 0, 7), row("dd/1", 10, 2)] };
  const rows = cpuTimesOf(a, b);
  expect(rows.map(({ task }) => task)).toEqual(["kswapd1", "kswapd0", "cat/2", "dd/1"]);
  expect(rows.map((each) => [totalOf(each.a), totalOf(each.b)])).toEqual([
    [0, 7],
    [5, 0],
    [0, 51],
    [30, 12],
  ]);
  expect(rows[0]?.a).toBeNull();
});
