import { expect, test } from "vitest";
import { catalog } from "../engine/loaded.test-support";
import type { LogAct, LogAnswer } from "../engine/log";
import { lastDecision } from "./last-decision";

/** A log without records. As in the engine, every answer after the first of a range is whole. */
function emptyLog(isWhole: boolean) {
  const ranges: [number, number][] = [];
  const ask = async (act: LogAct): Promise<LogAnswer> => {
    if (act.kind === "begin") ranges.push([act.from, act.to]);
    const isFirst = act.kind === "begin";
    const rows = new Float64Array();
    return { kind: "log", at: 0, isDone: !isFirst, isWhole: isFirst ? isWhole : true, rows };
  };
  return { ask, ranges };
}

const search = (ask: ReturnType<typeof emptyLog>["ask"], step: number) =>
  lastDecision(ask, catalog, { pfn: 1, step }, new AbortController().signal);

test("searches back to the start before it says that there is no decision", async () => {
  const { ask, ranges } = emptyLog(true);
  expect(await search(ask, 50_000)).toEqual({ kind: "none" });
  expect(ranges).toEqual([
    [40_000, 50_000],
    [0, 40_000],
  ]);
});

test("says so if the earlier records were not kept, also when a range has several answers", async () => {
  const { ask, ranges } = emptyLog(false);
  expect(await search(ask, 50_000)).toEqual({ kind: "recent-only" });
  expect(await search(ask, 500)).toEqual({ kind: "recent-only" });
  expect(ranges).toHaveLength(2);
});

test("stops when it is cancelled", async () => {
  const { ask } = emptyLog(true);
  const cancelled = AbortSignal.abort();
  await expect(lastDecision(ask, catalog, { pfn: 1, step: 9 }, cancelled)).rejects.toThrow();
});
