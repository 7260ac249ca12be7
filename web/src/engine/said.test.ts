// What a sentence says is compared was compared so: the numbers it shows, put into the comparison it
// names, have the outcome it tells. Every decision of long stretches of every teaching run.

import { expect, test } from "vitest";
import { presetsOf } from "./catalog";
import { catalog, loadEngine, openText } from "./loaded.test-support";
import { answerLog, DECISION, LOG_ROW, type LogAct } from "./log";
import { type SaidWords, sentenceOf, wordsOfView } from "./said";
import type { Span } from "./types";

/** Steps of a stretch, and how many stretches of a run are read. */
const STRETCH = 4_000;
const STRETCHES = 8;
/** Runs are read up to here. */
const LAST = 1_000_000;

/** The words of a comparison, and whether the number before them exceeds the one after. */
const COMPARISONS = [
  ["not above", false],
  ["at most", false],
  ["more than", true],
  ["less than half", false],
  ["above", true],
] as const;

/** What is said of a goal ahead, of a shifted number or of a product, not of two numbers shown. */
const OTHER = ["goes on above", "shifted right", "kept back", "less than half", "at least half"];

const text = (spans: readonly Span[]) => spans.map((span) => span.text).join("");

/** Numbers of a text, in order; not those in names. */
const numbers = (words: string): number[] =>
  words
    .split(/[\s;:]/)
    .map((word) => word.replace(/^[.,()]+|[.,()]+$/g, "").replaceAll(",", ""))
    .map((word) => word.replace("\u2212", "-"))
    .filter((word) => /^-?\d+$/.test(word))
    .map(Number);

/** Is what the sentence says of its numbers true? None where it compares none. */
function holds(sentence: string): boolean | null {
  if (OTHER.some((words) => sentence.includes(words))) return null;
  const comparison = COMPARISONS.find(([words]) => sentence.includes(words));
  if (!comparison) return null;
  const [words, exceeds] = comparison;
  const [before = "", after = ""] = sentence.split(words);
  // "Normal on node 0 has 16 free pages": the node is no part of it.
  const value = numbers(before.split(" has ").at(-1) ?? "").at(-1);
  // What follows a colon is the consequence.
  const [against, gap = 0] = numbers(after.split(/[:;]/)[0] ?? "");
  if (value === undefined || against === undefined) return null;
  const whole = sentence.includes("and a gap of") ? against + gap : against;
  return value > whole === exceeds;
}

const engine = loadEngine();

/** The decisions of a stretch: kind and numbers. */
function decisionsOf(from: number, to: number): [number, number[]][] {
  const filter = { events: [255], decisions: true, task: null, zone: null, pages: null };
  const out: [number, number[]][] = [];
  let act: LogAct = { kind: "begin", from, to, filter };
  for (;;) {
    const answer = answerLog(engine, 0, { kind: "log", act });
    if (!answer) throw new Error("no log is open");
    for (let at = 0; at < answer.rows.length; at += LOG_ROW) {
      const row = answer.rows.subarray(at, at + LOG_ROW);
      out.push([(row[4] ?? 0) - DECISION, [...row.subarray(6)]]);
    }
    if (answer.isDone) return out;
    act = { kind: "more" };
  }
}

function wordsOf(json: string): SaidWords {
  const reading = openText(engine, 0, json);
  if (reading.kind !== "checked") throw new Error("a preset is refused");
  return wordsOfView(engine.view(0, undefined), catalog, reading.opened.info);
}

const teaching = Object.entries(presetsOf(catalog)).filter(([id]) => id.endsWith("teach"));

test.each(teaching)("every comparison a sentence of %s shows is true", (_, json) => {
  const words = wordsOf(json);
  const { step } = engine.run(0, LAST, undefined, undefined).position;
  const apart = Math.max(STRETCH, Math.floor(step / STRETCHES));
  let compared = 0;
  for (let from = 0; from < step; from += apart) {
    for (const [kind, values] of decisionsOf(from, Math.min(step, from + STRETCH))) {
      const sentence = text(sentenceOf(catalog.decisions[kind]?.template ?? "", values, words));
      const isTrue = holds(sentence);
      expect(isTrue, `step ${from} and on: ${sentence}`).not.toBe(false);
      if (isTrue) compared += 1;
    }
  }
  expect(compared).toBeGreaterThan(150);
});

test("a false sentence is told from a true one", () => {
  expect(holds("Normal on node 0 has 18 free pages, not above its low mark 16: woken.")).toBe(
    false,
  );
  expect(holds("Normal on node 0 has 16 free pages, not above its low mark 16: woken.")).toBe(true);
  expect(holds("264 pages dirty, more than the background limit of 241: write.")).toBe(true);
  expect(holds("1,264 pages dirty, at most the background limit of 1,241: enough.")).toBe(false);
  expect(
    holds("DMA on node 0 has 20 free pages, not above its high mark 18 and a gap of 5: shrink."),
  ).toBe(true);
  expect(holds("Priority 12: 3 pages reclaimed so far.")).toBe(null);
});

const first = () => wordsOf(presetsOf(catalog)["first-touch.teach"] ?? "");
const templateOf = (name: string) =>
  catalog.decisions.find((kind) => kind.name === name)?.template ?? "";

test("sentences name both numbers and count in the right number", () => {
  const words = first();
  const fail = sentenceOf(templateOf("WmFailPlain"), [2, 7 + 2 ** 31, 7, 1, 0, 9], words);
  expect(text(fail)).toBe(
    "Normal on node 0 has 9 free pages, of which the test counts 7: not above the low mark 7. It may not be used.",
  );
  const found = sentenceOf(templateOf("BlockFound"), [2, 1, 3, 1, 0, 0], words);
  expect(text(found).replaceAll("\u202f", " ")).toBe(
    "Normal on node 0 has 1 free block of order 3 (32 KiB) and type Movable, the smallest that fits order 0 (4 KiB): take the first.",
  );
  const node = sentenceOf(templateOf("NodeBalanced"), [0, 0, 0, 0, 0, 0], words);
  expect(text(sentenceOf("{n0} is fine.", [1, 0, 0, 0, 0, 0], words))).toBe("Node 1 is fine.");
  expect(text(node)).toContain("node 0 is above its high mark");
});

test("every template is filled and has at most thirty words", () => {
  const words = first();
  expect(catalog.decisions.length).toBeGreaterThan(100);
  for (const { template } of catalog.decisions) {
    const said = text(sentenceOf(template, [1, 1, 1, 1, 1, 1], words));
    expect(said, template).not.toMatch(/[{}]|undefined/);
    expect(template.split(" ").length, template).toBeLessThanOrEqual(30);
  }
});
