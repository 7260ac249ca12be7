// The history of runs with an in-memory database.

import "fake-indexeddb/auto";
import { IDBFactory } from "fake-indexeddb";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { idOf, type PastRun, RunHistory, readHistory } from "./history";

const opened: RunHistory[] = [];
beforeEach(() => void vi.stubGlobal("indexedDB", new IDBFactory()));
afterEach(() => {
  for (const history of opened.splice(0)) history.dispose();
  vi.unstubAllGlobals();
});

function open(): RunHistory {
  const history = new RunHistory();
  opened.push(history);
  return history;
}

const made = (id: string, made_ms = 1): Omit<PastRun, "note"> => ({
  id,
  title: `Run ${id}`,
  kernel: "3.0",
  source: "workbench",
  runs: 1,
  made_ms,
  engine: "0.4.0",
  build: "a.wasm",
  hash: "0123456789abcdef",
  steps: 5,
  time_ns: 9,
  figures: [["pgfault", 3]],
  experiment: "{}",
  address: "#/workbench?x=abc",
});

const ids = ({ store }: RunHistory) => store.getState().runs?.map(({ id }) => id);

test("a run and its note survive a reload, and the same run made again keeps the note", async () => {
  const history = open();
  await history.add(made("a", 1));
  await history.add(made("b", 2));
  await history.read();
  await history.annotate("a", "the first one");
  await history.add(made("a", 3));
  const later = open();
  await later.read();
  expect(ids(later)).toEqual(["a", "b"]);
  expect(later.store.getState().runs?.[0]).toMatchObject({ note: "the first one", made_ms: 3 });
});

test("a deleted run can be restored with its note", async () => {
  const history = open();
  await history.add(made("a"));
  await history.read();
  await history.annotate("a", "mine");
  await history.remove("a");
  expect(ids(history)).toEqual([]);
  await history.undo();
  expect(history.store.getState().runs?.[0]?.note).toBe("mine");
});

test("an exported file is imported into another browser and keeps notes written there", async () => {
  const history = open();
  await history.add(made("a"));
  await history.read();
  await history.annotate("a", "from the file");
  const file = history.exported();
  vi.stubGlobal("indexedDB", new IDBFactory());
  const other = open();
  await other.read();
  await other.imported(file);
  expect(other.store.getState()).toMatchObject({ said: "Imported: 1 new, 0 known." });
  expect(other.store.getState().runs?.[0]?.note).toBe("from the file");
  await other.annotate("a", "my own");
  await other.imported(file);
  expect(other.store.getState()).toMatchObject({ said: "Imported: 0 new, 1 known." });
  expect(other.store.getState().runs?.[0]?.note).toBe("my own");
});

test.each([
  ["not JSON", "It is not JSON."],
  ['{"format":"mmscope moment"}', "format: "],
  [
    JSON.stringify({ format: "mmscope history", v: 1, runs: [{ ...made("a"), hash: "no" }] }),
    "runs.0.hash: ",
  ],
  [
    JSON.stringify({
      format: "mmscope history",
      v: 1,
      runs: [{ ...made("a"), address: "https://elsewhere" }],
    }),
    "runs.0.address: ",
  ],
])("a bad file is refused with the field that is wrong: %.40s", async (text, reason) => {
  const read = readHistory(text);
  expect(read.ok ? "read" : read.reason).toContain(reason);
  const history = open();
  await history.read();
  await history.imported(text);
  expect(history.store.getState().runs).toEqual([]);
  expect(history.store.getState().said).toContain("not imported");
});

test("shows a message in a browser without storage", async () => {
  vi.stubGlobal("indexedDB", undefined);
  const history = open();
  expect(await history.add(made("a"))).toBe(false);
  expect(history.store.getState().fault).toContain("denies storage");
});

test("different texts have different ids", () => {
  expect(new Set(["", "a", "b", "ab", "ba"].map(idOf)).size).toBe(5);
  expect(idOf("ab")).toBe(idOf("ab"));
});
