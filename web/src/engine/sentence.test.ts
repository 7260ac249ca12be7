// A sentence about a comparison agrees with its own numbers: putting these into the named comparison gives
// the stated outcome. Checks all decisions in long ranges of every teaching run.

import { expect, test } from "vitest";
import { presetsOf } from "./catalog";
import { catalog, loadEngine, openText } from "./loaded.test-support";
import { answerLog, type LogAct } from "./log";
import { NO_KIND, type Rec, recordsIn } from "./record";
import { recordOf } from "./record.test-support";
import { filled, placesOf, sentenceOf, type Words, wordsOf } from "./sentence";
import type { Span } from "./types";

/** Steps of a range, and the number of ranges read from a run. */
const STRETCH = 4_000;
const STRETCHES = 8;
/** Runs are read up to this step. */
const LAST = 1_000_000;

/** The words of a comparison, and whether the number before them exceeds the one after. */
const COMPARISONS = [
  ["not above", false],
  ["at most", false],
  ["more than", true],
  ["less than half", false],
  ["above", true],
] as const;

/** Sentences about a later target, a shifted number, a sum or a product, not about two shown
 * numbers. */
const OTHER = [
  "goes on above",
  "the running task is pushed",
  "percent of",
  "shifted right",
  "kept back",
  "+ gap",
  "less than half",
  "at least half",
];

const text = (spans: readonly Span[]) => spans.map((span) => span.text).join("");

/** The numbers of a text, in order, without those in names. */
const numbers = (words: string): number[] =>
  words
    .split(/[\s;:]/)
    .map((word) => word.replace(/^[.,()]+|[.,()]+$/g, "").replaceAll(",", ""))
    .map((word) => word.replace("\u2212", "-"))
    .filter((word) => /^-?\d+$/.test(word))
    .map(Number);

/** Whether the sentence's statement about its numbers is true; null if it compares none. */
function holds(sentence: string): boolean | null {
  if (OTHER.some((words) => sentence.includes(words))) return null;
  const comparison = COMPARISONS.find(([words]) => sentence.includes(words));
  if (!comparison) return null;
  const [words, exceeds] = comparison;
  const [before = "", after = ""] = sentence.split(words);
  // "Normal on node 0 has 16 free pages": the node's number is not compared.
  const value = numbers(before.split(" has ").at(-1) ?? "").at(-1);
  // The text after a colon is the consequence.
  const [against, gap = 0] = numbers(after.split(/[:;]/)[0] ?? "");
  if (value === undefined || against === undefined) return null;
  const whole = sentence.includes("and a gap of") ? against + gap : against;
  return value > whole === exceeds;
}

const engine = loadEngine();

/** The decisions of a range. */
function decisionsOf(from: number, to: number): Rec[] {
  const filter = { kinds: [NO_KIND], decisions: true, task: null, zone: null, pages: null };
  const out: Rec[] = [];
  let act: LogAct = { kind: "begin", from, to, filter };
  for (;;) {
    const answer = answerLog(engine, 0, { kind: "log", act });
    if (!answer) throw new Error("no log is open");
    for (const record of recordsIn(answer.rows, catalog)) out.push(record);
    if (answer.isDone) return out;
    act = { kind: "more" };
  }
}

function wordsIn(json: string): Words {
  const reading = openText(engine, 0, json);
  if (reading.kind !== "checked") throw new Error("a preset is refused");
  return wordsOf(catalog, reading.opened.info, engine.view(0, undefined));
}

const teaching = Object.entries(presetsOf(catalog)).filter(([id]) => id.endsWith("teach"));

/** The minimum number of comparisons expected of a run; threads that reuse their few pages make fewer. */
const leastCompared = (id: string): number => {
  if (/^first-touch\.(threads|follow)/.test(id)) return 20;
  return /^(numa0[12]|specjbb)/.test(id) ? 100 : 150;
};

test.each(teaching)("every comparison in a sentence of %s is true", (id, json) => {
  const words = wordsIn(json);
  const { step } = engine.run(0, LAST, undefined, undefined).position;
  const apart = Math.max(STRETCH, Math.floor(step / STRETCHES));
  let compared = 0;
  for (let from = 0; from < step; from += apart) {
    for (const record of decisionsOf(from, Math.min(step, from + STRETCH))) {
      const sentence = text(sentenceOf(record, words) ?? []);
      const isTrue = holds(sentence);
      expect(isTrue, `step ${from} and on: ${sentence}`).not.toBe(false);
      if (isTrue) compared += 1;
    }
  }
  expect(compared).toBeGreaterThan(leastCompared(id));
});

test("recognizes a false sentence", () => {
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

const first = () => wordsIn(presetsOf(catalog)["first-touch.teach"] ?? "");

test("sentences name both numbers and use singular and plural correctly", () => {
  const words = first();
  const say = (record: Rec) => text(sentenceOf(record, words) ?? []).replaceAll("\u202f", " ");
  expect(say(recordOf("WmFailPlain", { zone: 2, free: 9, counted: -2, mark: 1, needs: 7 }))).toBe(
    "Normal on node 0 has 9 free pages; the watermark check counts \u22122, which is not above low (7): the check fails.",
  );
  const found = { zone: 2, blocks: 1, found: 3, migratetype: 1, order: 0 };
  expect(say(recordOf("BlockFound", found))).toBe(
    "Normal on node 0 has 1 free block of order 3 (32 KiB) and type Movable, the smallest size that fits order 0 (4 KiB): take the first block.",
  );
  const balanced = { node: 0, priority: 12, highest: 1 };
  expect(say(recordOf("NodeBalanced", balanced))).toContain("node 0 is above its high watermark");
  const fields = [{ name: "node", kind: "node" }] as const;
  expect(text(filled("{node} is fine.", [...fields], { node: 1 }, words))).toBe("Node 1 is fine.");
  const plural = (noun: string) => text(filled(`{n ${noun}}`, [], { n: 2 }, words));
  expect(["page", "entry", "access"].map(plural)).toEqual(["2 pages", "2 entries", "2 accesses"]);
});

test("every template uses only its own fields and has at most thirty words", () => {
  const words = first();
  const decisions = catalog.records.filter(({ kind }) => kind === "decision");
  expect(decisions.length).toBeGreaterThan(100);
  for (const { name, template, fields } of catalog.records) {
    expect(template === null, name).toBe(!decisions.some((one) => one.name === name));
    if (template === null) continue;
    const names = fields.map((field) => field.name);
    expect(names, template).toEqual(expect.arrayContaining(placesOf(template)));
    const values = Object.fromEntries(names.map((field) => [field, 1]));
    const sentence = text(filled(template, fields, values, words));
    expect(sentence, template).not.toMatch(/[{}]|undefined/);
    expect(template.split(" ").length, template).toBeLessThanOrEqual(30);
  }
});
