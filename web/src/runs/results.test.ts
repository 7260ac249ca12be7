import "fake-indexeddb/auto";
import { IDBFactory } from "fake-indexeddb";
import { openDB } from "idb";
import { beforeEach, expect, test, vi } from "vitest";
import { KeptResults, KeyedResults } from "./results";

beforeEach(() => {
  vi.stubGlobal("indexedDB", new IDBFactory());
});

/** A run as version 2 of the database stored it. */
const OLD = {
  id: "fsmark.teach zlcfirst 1 mmscope_bg-4f1c.wasm",
  experiment: "fsmark.teach",
  kernel: "zlcfirst",
  run_ms: 1_760_000_000_000,
  result: {
    rows: [{ metric: "Percentage direct scans", unit: "%", value: 7 }],
    delays: [],
    time_ns: 7e9,
    points: 100,
    waited_ms: 5,
    run_ms: 1_760_000_000_000,
  },
};

test("opens results that an earlier version stored", async () => {
  const old = await openDB("mmscope.moments", 2, {
    upgrade: (database) => {
      database.createObjectStore("moments", { keyPath: "id" });
      database.createObjectStore("runs", { keyPath: "id" });
    },
  });
  await old.put("runs", OLD);
  await old.put("runs", { ...OLD, id: "other 3.0 1 x", experiment: "other" });
  old.close();
  const kept = new KeptResults();
  const found = await kept.of("fsmark.teach", "mmscope_bg-4f1c.wasm");
  expect(found).toEqual(new Map([["zlcfirst", OLD.result]]));
  kept.close();
});

test("finds results by the key of their experiment and the build of the engine", async () => {
  const results = new KeyedResults("a.wasm");
  const newer = new KeyedResults("b.wasm");
  expect(
    await results.keep(
      new Map([
        ["05f1", '{"steps":1}'],
        ["9b0e", '{"steps":2}'],
      ]),
    ),
  ).toBe(true);
  expect(await newer.keep(new Map([["05f1", '{"steps":3}']]))).toBe(true);
  expect(await results.of(["05f1", "77aa"])).toEqual(new Map([["05f1", '{"steps":1}']]));
  expect(await newer.of(["05f1", "9b0e"])).toEqual(new Map([["05f1", '{"steps":3}']]));
  expect(await results.forget(["05f1"])).toBe(true);
  expect(await results.of(["05f1", "9b0e"])).toEqual(new Map([["9b0e", '{"steps":2}']]));
  results.close();
  newer.close();
});

test("reports denied storage and finds no results there", async () => {
  vi.stubGlobal("indexedDB", {
    open: () => {
      throw new DOMException("no", "SecurityError");
    },
  });
  const results = new KeyedResults("a.wasm");
  expect(await results.keep(new Map([["05f1", "{}"]]))).toBe(false);
  expect(await results.of(["05f1"])).toEqual(new Map());
});
