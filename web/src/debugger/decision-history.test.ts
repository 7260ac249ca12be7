import { expect, test } from "vitest";
import { TestBench } from "../engine/loaded.test-support";
import type { Info, View } from "../engine/types";
import { type DecisionHistory, NO_DECISIONS, withMoment } from "./decision-history";

const INFO = {} as Info;

/** Steps a machine until a condition holds, and collects its decisions. */
function stepped(preset: string, until: (view: View, history: DecisionHistory) => boolean) {
  const bench = new TestBench();
  bench.openPreset(preset);
  let history = withMoment(NO_DECISIONS, bench.frame.view, INFO, "opened");
  const seen: number[] = [];
  for (let i = 0; i < 20_000 && !until(bench.frame.view, history); i += 1) {
    bench.send({ kind: "step", how: "any", followed: null });
    const { view } = bench.frame;
    history = withMoment(history, view, INFO, bench.frame.cause);
    if (view.why) seen.push(view.position.step);
    expect(history.decisions.at(-1)?.step).toBe(seen.at(-1));
  }
  return { bench, kept: history, seen };
}

test("shows the last decision until the next one, and the previous one after a step back", () => {
  const isUndecided = ({ why }: View, { decisions }: DecisionHistory) =>
    why === null && decisions.length > 3;
  const { bench, kept: history, seen } = stepped("first-touch.teach", isUndecided);
  const { view } = bench.frame;
  const [before, last] = seen.slice(-2);
  const backTo = (step: number) => {
    const there = { ...view, position: { ...view.position, step }, why: null };
    return withMoment(history, there, INFO, "back").decisions.at(-1)?.step;
  };
  if (before === undefined || last === undefined) throw new Error("too few decisions");
  expect(backTo(last)).toBe(last);
  expect(backTo(last - 1)).toBe(before);
});

test("forgets decisions after a jump and for another machine", () => {
  const isUndecided = ({ why }: View, { decisions }: DecisionHistory) =>
    why === null && decisions.length > 0;
  const { bench, kept: history } = stepped("first-touch.teach", isUndecided);
  const { view } = bench.frame;
  expect(withMoment(history, view, INFO, "sought").decisions).toEqual([]);
  expect(withMoment(history, view, {} as Info, "played").decisions).toEqual([]);
  expect(withMoment(history, view, INFO, "view").decisions).toEqual(history.decisions);
});

test("forgets decisions after a run to the end", () => {
  const bench = new TestBench();
  bench.openPreset("out-of-memory.teach");
  // The leak decides something now and then, and is killed before the run ends.
  bench.send({ kind: "go", goal: { kind: "step", step: 40_000 } });
  const isOfLeak = ({ why, tasks }: View) =>
    tasks.find(({ id }) => id === why?.task)?.name === "leak/1";
  while (!isOfLeak(bench.frame.view)) bench.send({ kind: "step", how: "any", followed: null });
  const { view } = bench.frame;
  const history = withMoment(NO_DECISIONS, view, INFO, "stepped");
  expect(history.decisions.at(-1)?.task).toBe("leak/1");
  bench.send({ kind: "end" });
  const end = bench.frame.view;
  expect(end.position.ended).toBe(true);
  expect(end.tasks.find(({ name }) => name === "leak/1")?.state).toBe("exited");
  const { decisions } = withMoment(history, end, INFO, bench.frame.cause);
  expect(decisions.map(({ step }) => step)).toEqual(end.why ? [end.position.step] : []);
  // A few steps back or forward forget nothing.
  const near = { ...view, why: null, position: { ...view.position, step: view.position.step + 9 } };
  expect(withMoment(history, near, INFO, "stepped").decisions).toHaveLength(1);
});

for (const [preset, whole] of [
  ["anon-hog.teach", true],
  ["streaming-reader.teach", false],
] as const) {
  test(`a wake-up of ${preset} lists all zones that failed, with the numbers of the machine`, () => {
    const bench = new TestBench();
    bench.openPreset(preset);
    const isWoken = ({ why }: View) => why?.name.startsWith("WakeKswapd") ?? false;
    const wakes = ({ nodes }: View) => nodes.reduce((sum, node) => sum + node.kswapd_wakes, 0);
    // Approaches the step in leaps, then goes to it.
    let to = 500;
    while (wakes(bench.frame.view) === 0) {
      bench.send({ kind: "go", goal: { kind: "step", step: to } });
      to += 500;
    }
    bench.send({ kind: "go", goal: { kind: "step", step: to - 1000 } });
    while (!isWoken(bench.frame.view)) bench.send({ kind: "step", how: "any", followed: null });
    const { view } = bench.frame;
    const failed = withMoment(NO_DECISIONS, view, INFO, "stepped").decisions.at(-1)?.failed ?? [];
    const [asked] = failed;
    const node = view.zones.find(({ key }) => key === asked?.key)?.node;
    const ofNode = view.zones.filter((zone) => zone.node === node).length;
    expect(failed).toHaveLength(whole ? ofNode : 1);
    for (const { free, counted, pages, reserved: history } of failed)
      expect(counted ?? free).toBeLessThanOrEqual(pages + history);
    const words = view.why?.sentence.map(({ text }) => text).join("") ?? "";
    expect(words.replaceAll(",", "")).toContain(String(asked?.free));
  });
}
