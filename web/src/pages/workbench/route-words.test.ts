// The words above the zonelist's line, compared with the machine.

import { expect, test } from "vitest";
import { catalog, presetJson, TestBench } from "../../engine/loaded.test-support";
import { answerLog, type LogAct } from "../../engine/log";
import { kindsNamed, type RecordName, Rows } from "../../engine/record";
import type { Route } from "../../engine/types";
import { EVERYTHING } from "../../log/keeper";
import { routeWords } from "../../stage/RouteLine";

/** The walks of a run right after decisions with a name. */
function routes(kernel: string, decision: RecordName): Route[] {
  const experiment: Record<string, unknown> = JSON.parse(presetJson("streaming-reader.teach"));
  const bench = new TestBench();
  const json = JSON.stringify({ ...experiment, id: "", kernel });
  bench.send({ kind: "open", json, goal: { kind: "start" } });
  bench.send({ kind: "end" });
  const to = bench.frame.view.position.step;
  const steps: number[] = [];
  const filter = { ...EVERYTHING, kinds: kindsNamed(catalog, [decision]) };
  let act: LogAct = { kind: "begin", from: 0, to, filter };
  for (;;) {
    const answer = answerLog(bench.engine, 0, { kind: "log", act });
    if (!answer) throw new Error("no log is open");
    const rows = new Rows(answer.rows);
    for (let i = 0; i < rows.count; i += 1) steps.push(rows.step(i));
    if (answer.isDone || steps.length > 100) break;
    act = { kind: "more" };
  }
  const some = steps.filter((_, i) => i % Math.ceil(steps.length / 20) === 0);
  return some.flatMap((step) => {
    bench.send({ kind: "go", goal: { kind: "step", step } });
    return bench.frame.view.route ?? [];
  });
}

test("names the full flags of zones while they are set, with their remaining time", () => {
  const set = routes("3.0", "ZlcFull");
  expect(set.length).toBeGreaterThan(0);
  for (const route of set) {
    expect(route.stops.some(({ full }) => full)).toBe(true);
    // The cache is cleared more than a second after the last time: within a second and a jiffy from
    // now.
    expect(route.zap_in_ns).toBeLessThanOrEqual(1_004_000_000);
    expect(routeWords(route, 4096)).toContain("their “full” flags last at least");
  }
  for (const route of routes("3.0", "ZlcZap")) {
    expect(route.stops.some(({ full }) => full)).toBe(false);
    expect(routeWords(route, 4096)).not.toContain("flags");
  }
}, 60_000);

test("shows no full flag for a kernel without the zonelist cache", () => {
  for (const { stops, zap_in_ns } of routes("6.1", "ZoneNext")) {
    expect(zap_in_ns).toBeNull();
    expect(stops.some(({ full }) => full)).toBe(false);
  }
}, 60_000);
