// The lives of page frames compared with the log of a whole run: nothing is missing, and each event is listed
// for the right frames.

import { expect, test } from "vitest";
import { catalog, TestBench } from "../../engine/loaded.test-support";
import { answerLog, joined, type LogAct, type LogFilter } from "../../engine/log";
import { Rows, readRecord } from "../../engine/record";
import { type Words, wordsOf } from "../../engine/sentence";
import type { Info } from "../../engine/types";
import { EVERYTHING } from "../../log/keeper";
import { entryAt } from "../../log/rows";
import { lifeOf, TOLD, turnsOf } from "./life";

const ABOUT_PAGES = [...catalog.records.entries()].filter(
  ([, { kind, fields }]) => kind === "event" && fields.some((field) => field.kind === "page"),
);

class Run {
  readonly bench = new TestBench();
  readonly step: number;

  constructor(preset: string, step: number) {
    this.step = step;
    this.bench.openPreset(preset);
    this.bench.send({ kind: "go", goal: { kind: "step", step } });
  }

  log(filter: LogFilter): Rows {
    const parts: Float64Array[] = [];
    let act: LogAct = { kind: "begin", from: 0, to: this.step, filter };
    for (;;) {
      const answer = answerLog(this.bench.engine, 0, { kind: "log", act });
      if (!answer) throw new Error("no log is open");
      parts.push(answer.rows);
      if (answer.isDone) return new Rows(joined(parts));
      act = { kind: "more" };
    }
  }

  get info(): Info {
    const opened = this.bench.events.findLast((event) => event.kind === "opened");
    if (!opened) throw new Error("nothing is open");
    return opened.info;
  }

  get words(): Words {
    return wordsOf(catalog, this.info, this.bench.frame.view);
  }
}

/** The frames of an event: its page, and the rest of the block if it has an order. */
function framesOf(rows: Rows, index: number): [number | null, number] {
  const record = readRecord(catalog, rows.row(index));
  const { values } = record;
  if (!("pfn" in values)) return [null, 0];
  if (record.name === "mm_page_alloc_extfrag") {
    return [record.values.pfn, 2 ** record.values.fallback_order];
  }
  return [values.pfn, "order" in values ? 2 ** values.order : 1];
}

test("the lives of all frames together equal the page events of the log", () => {
  const run = new Run("mixed-types.teach", 9000);
  const whole = run.log(EVERYTHING);
  const key = (rows: Rows, i: number) => rows.row(i).join();
  // How often each event must appear, by the log alone: once for each of its frames.
  const due = new Map<string, number>();
  for (let i = 0; i < whole.count; i += 1) {
    const [pfn, frames] = framesOf(whole, i);
    if (pfn !== null) due.set(key(whole, i), (due.get(key(whole, i)) ?? 0) + frames);
  }
  const byName = new Map<string, number>();
  const kinds = ABOUT_PAGES.map(([kind]) => kind);
  for (const { ranges } of run.info.nodes) {
    for (const [first, pages] of ranges) {
      for (let pfn = first; pfn < first + pages; pfn += 1) {
        const rows = run.log({ ...EVERYTHING, kinds, pages: [pfn, pfn] });
        for (let i = 0; i < rows.count; i += 1) {
          const [head, frames] = framesOf(rows, i);
          if (head === null || pfn < head || pfn >= head + frames)
            throw new Error(`not about ${pfn}`);
          byName.set(key(rows, i), (byName.get(key(rows, i)) ?? 0) + 1);
        }
      }
    }
  }
  expect(due.size).toBeGreaterThan(500);
  expect([...due].filter(([event, times]) => byName.get(event) !== times)).toEqual([]);
  expect([...byName.keys()].filter((event) => !due.has(event))).toEqual([]);
}, 60_000);

test("each kind of page event has its own sentence", () => {
  expect(ABOUT_PAGES.filter(([, { name }]) => !TOLD.has(name))).toEqual([]);
  const known = new Set(catalog.records.map(({ name }) => name));
  expect([...TOLD].filter((name) => !known.has(name))).toEqual([]);
});

test("sentences have the numbers of their event and at most 30 words", () => {
  for (const preset of ["dirty-writer.teach", "anon-hog.teach", "mixed-types.teach"]) {
    const run = new Run(preset, 200_000);
    const { words } = run;
    const rows = run.log({ ...EVERYTHING, kinds: ABOUT_PAGES.map(([kind]) => kind) });
    const steps = lifeOf(rows, words, run.step);
    const byName = steps.flatMap(({ events }) => events);
    expect(byName.length).toBe(rows.count);
    byName.forEach(({ spans, step, name }, i) => {
      const event = entryAt(words, rows, i);
      expect([step, name]).toEqual([event.step, event.name]);
      const text = spans.map((span) => span.text).join("");
      expect(text).toMatch(/^[A-Z].*\.$/);
      expect(text.split(/\s+/).length).toBeLessThanOrEqual(30);
      for (const { kind, text: value } of event.fields) {
        if (kind === "migratetype") expect(text).toContain(value);
      }
      if (event.name.startsWith("mm_filemap")) {
        for (const { name: field, text: value } of event.fields) {
          if (field !== "pfn") expect(text).toContain(value);
        }
      }
    });
  }
});

test("omits later events", () => {
  const run = new Run("anon-hog.teach", 60_000);
  const { words } = run;
  const all = run.log(EVERYTHING);
  const page = entryAt(words, all, all.count >> 1).pfn ?? 0;
  const rows = run.log({ ...EVERYTHING, pages: [page, page], decisions: true });
  const life = lifeOf(rows, words, run.step);
  const middle = life[life.length >> 1]?.step ?? 0;
  const before = lifeOf(rows, words, middle);
  expect(before.at(-1)?.step).toBe(middle);
  expect(before).toEqual(life.filter(({ step }) => step <= middle));
  const { allocated, freed } = turnsOf(life);
  expect(allocated).toBeGreaterThan(0);
  expect(Math.abs(allocated - freed)).toBeLessThanOrEqual(1);
});
