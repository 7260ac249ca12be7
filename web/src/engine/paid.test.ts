import { expect, test } from "vitest";
import { loadEngine, presetJson } from "./loaded.test-support";
import { answerPaid, type Paid } from "./paid";

/** Opens a ready-made experiment and runs it to its end. */
function ended(preset: string) {
  const engine = loadEngine();
  const experiment = presetJson(preset);
  engine.open(0, experiment);
  while (!engine.run(0, 1_000_000, undefined, undefined).position.ended);
  const { position, counters } = engine.view(0, undefined);
  return { engine, experiment, end: position.step, counters: new Map(counters) };
}

/** Asks until the tables are there. */
function paidIn(
  engine: ReturnType<typeof loadEngine>,
  experiment: string,
  from: number,
  to: number,
): Paid {
  let answer = answerPaid(engine, 0, {
    kind: "paid",
    act: { kind: "begin", experiment, from, to },
  });
  while (answer && !answer.paid) {
    expect(answer.isWhole).toBe(true);
    answer = answerPaid(engine, 0, { kind: "paid", act: { kind: "more" } });
  }
  if (!answer?.paid) throw new Error("no tables");
  return answer.paid;
}

const NAMES = [
  "allocstall",
  "pageoutrun",
  "pgscan_kswapd",
  "pgscan_direct",
  "pgsteal_kswapd",
] as const;

test("the rows of the whole run add up to the counters of the machine", () => {
  const { engine, experiment, end, counters } = ended("anon-hog.teach");
  const { rows, total, taken } = paidIn(engine, experiment, 0, end);
  for (const name of NAMES) {
    const sum = rows.reduce((all, row) => all + row[name], 0);
    expect([name, sum]).toEqual([name, total[name]]);
    expect([name, sum]).toEqual([name, counters.get(name) ?? 0]);
  }
  const pages = taken.reduce((all, row) => all + row.pages, 0);
  expect(pages).toBe(total.pgsteal_kswapd + total.pgsteal_direct);
  expect(pages).toBeGreaterThan(0);
});

test("consecutive ranges add up to the whole run", () => {
  const { engine, experiment, end } = ended("anon-hog.teach");
  const whole = paidIn(engine, experiment, 0, end).total;
  const cuts = [0, Math.floor(end / 3), Math.floor(end / 2), end];
  const parts = cuts.slice(1).map((to, i) => paidIn(engine, experiment, cuts[i] ?? 0, to).total);
  for (const name of NAMES) {
    expect(parts.reduce((all, part) => all + part[name], 0)).toBe(whole[name]);
  }
});

test("does not move the machine on screen, and ends when another experiment opens", () => {
  const { engine, experiment, end } = ended("anon-hog.teach");
  const hash = engine.hash(0);
  paidIn(engine, experiment, 0, end);
  expect(engine.hash(0)).toBe(hash);
  const act = { kind: "begin", experiment, from: 0, to: end } as const;
  answerPaid(engine, 0, { kind: "paid", act });
  engine.open(0, experiment);
  expect(answerPaid(engine, 0, { kind: "paid", act: { kind: "more" } })).toBeNull();
});
