// Parsing rows: checked with handmade rows and with the generated table.

import { expect, test } from "vitest";
import { catalog, loadEngine, openText, presetJson } from "./loaded.test-support";
import { answerLog, type LogAct } from "./log";
import { logEntry } from "./log-entry";
import { RECORDS } from "./pkg/records";
import {
  isOneOf,
  kindsNamed,
  NO_KIND,
  NOTHING,
  passedMark,
  type Rec,
  Rows,
  readRecord,
  recordsIn,
} from "./record";
import { kindNamed, recordOf, rowOf, rowsOf } from "./record.test-support";
import { type Words, wordsOf } from "./sentence";

const FAIL = { zone: 1, free: 40, counted: -2, mark: 1, kept_back: 2, needs: 38 } as const;
const BATCH = { taken: 3, freed: 2, put_back: 1, lists: 0, lru: 2 } as const;
const PAGES = [
  { page: 0x840, outcome: "freed" },
  { page: 0x841, outcome: "kept" },
  { page: 0x842, outcome: "freed" },
] as const;

test("reads rows of different lengths, each by its own fields", () => {
  const records: Rec[] = [
    recordOf("OomWait", {}, { step: 3 }),
    recordOf("BatchDone", { ...BATCH, pages: PAGES }, { step: 4, fn: 7 }),
    recordOf("BatchDone", { ...BATCH, pages: [] }, { step: 4 }),
    recordOf("WmFail", FAIL, { step: 5, zone: 1 }),
    recordOf("mm_page_alloc", { pfn: null, order: 0, migratetype: 1, gfp_flags: 3 }, { step: 6 }),
    recordOf("RefsActivate", { page: 9, young: 1, referenced: true }, { step: 7, cpu: 2 }),
  ];
  const rows = rowsOf(records);
  expect(rows.count).toBe(records.length);
  expect([...recordsIn(rows.numbers, catalog)]).toEqual(records);
  expect(records.map((_, i) => readRecord(catalog, rows.row(i)))).toEqual(records);
  expect(records.map((_, i) => rows.step(i))).toEqual([3, 4, 4, 5, 6, 7]);
  expect([...recordsIn(rows.from(4).numbers, catalog)]).toEqual(records.slice(4));
  expect(rows.from(0)).toBe(rows);
  expect(rows.from(records.length).count).toBe(0);
});

test("reads a field or flag that a trace does not print as missing", () => {
  const kind = catalog.records.findIndex(({ name }) => name === "mm_page_alloc");
  const named = catalog.records[kind];
  if (!named) throw new Error("the catalog has no mm_page_alloc");
  const fields: (typeof named.fields)[number][] = [
    { name: "pfn", kind: "page" },
    { name: "order", kind: "count" },
    { name: "reclaimable", kind: "flag" },
    { name: "may_writepage", kind: "flag" },
    { name: "valid", kind: "flag" },
  ];
  const records = catalog.records.with(kind, { ...named, fields });
  const values = [NOTHING, NOTHING, NOTHING, 0, 1];
  const row = [8 + values.length, 1, 0, 0, 0, NOTHING, kind, NOTHING, ...values];
  const record = readRecord({ records }, row);
  expect(record.values).toEqual({
    pfn: null,
    order: null,
    reclaimable: null,
    may_writepage: false,
    valid: true,
  });
  expect(record.zone).toBeNull();
});

test("the name of a record narrows the type of its values", () => {
  const record = readRecord(catalog, rowOf(recordOf("WmFail", FAIL)));
  expect(isOneOf(record, new Set(["WmPass", "WmFail"] as const)) && record.values.counted).toBe(-2);
  expect(isOneOf(record, new Set(["WmPass"] as const))).toBe(false);
  expect(passedMark(catalog, rowOf(record))).toBe(false);
  expect(passedMark(catalog, rowOf(recordOf("OomWait", {})))).toBe(null);
});

/** Words without any machine. */
const words: Words = wordsOf(
  catalog,
  { migratetypes: [], zone_types: [], page_size: 4096 },
  { zones: [], tasks: [], lru: [], devices: [] },
);

test("names a kind from a newer engine as unknown and reads the rows after it", () => {
  const known = recordOf("OomWait", {});
  const kind = catalog.records.length + 4;
  const row = [11, 8, 90, 1, 0, 2, kind, 0, 1, 2, 3];
  const [unknown, next] = recordsIn(Float64Array.from([...row, ...rowOf(known)]), catalog);
  expect(unknown).toMatchObject({ name: `record ${kind}`, step: 8, fn: 2, zone: 0, values: {} });
  expect(next).toEqual(known);
  expect(unknown && logEntry(unknown, words)).toMatchObject({ name: `record ${kind}`, fields: [] });
});

test("refuses malformed rows and names their positions", () => {
  const good = rowOf(recordOf("OomWait", {}));
  const message = /the row at number 8 of \d+ says it has 0 numbers/;
  expect(() => new Rows(Float64Array.from([...good, ...Array(9).fill(0)]))).toThrow(message);
  expect(() => new Rows(Float64Array.from([...good, 30, 1, 1]))).toThrow(/says it has 30/);
});

test("finds kinds by name for a filter and finds nothing for unknown names", () => {
  const kinds = kindsNamed(catalog, ["mm_page_free", "WmFail"]);
  expect(kinds).toEqual([kindNamed("mm_page_free"), kindNamed("WmFail")]);
  expect(kindsNamed({ records: [] }, ["WmFail"])).toEqual([NO_KIND]);
});

test("the generated types and the catalog list the same kinds and fields", () => {
  const fields = catalog.records.map((kind) =>
    kind.fields.map((field) => [field.name, field.kind]),
  );
  expect(RECORDS.map(({ fields: own }) => own)).toEqual(fields);
  expect(RECORDS.map(({ name, kind }) => [name, kind])).toEqual(
    catalog.records.map(({ name, kind }) => [name, kind]),
  );
  const names = catalog.records.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test("every row of a run has as many numbers as its fields need", () => {
  const engine = loadEngine();
  expect(openText(engine, 0, presetJson("anon-hog.teach")).kind).toBe("checked");
  const { step: to } = engine.run(0, 300_000, undefined, undefined).position;
  const filter = { kinds: [], decisions: true, task: null, zone: null, pages: null };
  let act: LogAct = { kind: "begin", from: 0, to, filter };
  const seen = new Set<string>();
  for (;;) {
    const answer = answerLog(engine, 0, { kind: "log", act });
    if (!answer) throw new Error("no log is open");
    const rows = new Rows(answer.rows);
    for (let i = 0; i < rows.count; i += 1) {
      const row = rows.row(i);
      const record = readRecord(catalog, row);
      seen.add(record.name);
      // Writing the record gives the same row: no number was left over or invented.
      if (rowOf(record).join() !== row.join()) throw new Error(`${record.name}: ${row.join()}`);
    }
    if (answer.isDone) break;
    act = { kind: "more" };
  }
  expect(seen.size).toBeGreaterThan(60);
});
