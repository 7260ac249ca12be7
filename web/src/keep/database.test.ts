import "fake-indexeddb/auto";
import { IDBFactory } from "fake-indexeddb";
import { openDB } from "idb";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Database } from "./database";

beforeEach(() => {
  vi.stubGlobal("indexedDB", new IDBFactory());
});
afterEach(() => {
  vi.unstubAllGlobals();
});

test("sweeps from before 6.12 booted with generations keep the classic lists", async () => {
  const old = await openDB("mmscope.moments", 3, {
    upgrade: (database) => {
      for (const name of ["moments", "runs", "results", "sweeps"]) {
        database.createObjectStore(name, { keyPath: "id" });
      }
    },
  });
  const stored = (id: string, file: string) => old.put("sweeps", { id, file, changed_ms: 1 });
  const other = JSON.stringify({ experiment: "anon-hog.teach", axes: { seed: [1] } });
  await stored("newest", JSON.stringify({ experiment: { kernel: "6.12" }, axes: { seed: [1] } }));
  await stored("other", other);
  await stored("broken", "{");
  old.close();

  const database = new Database(() => {});
  const files = new Map((await database.sweeps()).map(({ id, file }) => [id, file]));
  database.close();
  expect(JSON.parse(files.get("newest") ?? "").axes).toEqual({
    seed: [1],
    "tunables.lru_gen.enabled": [0],
  });
  expect(files.get("other")).toBe(other);
  expect(files.get("broken")).toBe("{");
});
