// The stored lessons, in an in-memory database.

import "fake-indexeddb/auto";
import { IDBFactory } from "fake-indexeddb";
import { openDB } from "idb";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Shelf } from "./shelf";

beforeEach(() => vi.stubGlobal("indexedDB", new IDBFactory()));
afterEach(() => vi.unstubAllGlobals());

const MINE = { name: "mine", title: "My lesson", texts: { "index.mdx": "text" } };
const names = (shelf: Shelf) => shelf.store.getState().lessons?.map(({ name }) => name);

/** The stored lessons as a reloaded page reads them. */
async function again(): Promise<Shelf> {
  const shelf = new Shelf();
  await shelf.read();
  return shelf;
}

test("keeps a lesson after a reload and replaces it with a lesson of the same name", async () => {
  const shelf = new Shelf();
  await shelf.keep(MINE);
  await shelf.keep({ ...MINE, texts: { "index.mdx": "changed" } });
  const next = await again();
  expect(names(next)).toEqual(["mine"]);
  expect(await next.textsOf("mine")).toEqual({ "index.mdx": "changed" });
  expect([next.has("mine"), next.has("other")]).toEqual([true, false]);
});

test("restores a removed lesson until the next change", async () => {
  const shelf = new Shelf();
  await shelf.keep(MINE);
  const [lesson] = shelf.store.getState().lessons ?? [];
  if (!lesson) throw new Error("it is kept");
  await shelf.remove(lesson);
  expect(names(await again())).toEqual([]);
  expect(shelf.store.getState()).toMatchObject({
    message: "My lesson was removed.",
    removed: lesson,
  });
  await shelf.undo();
  expect(names(await again())).toEqual(["mine"]);
  await shelf.remove(lesson);
  await shelf.keep({ ...MINE, name: "other" });
  expect(shelf.store.getState().removed).toBeNull();
});

test("shows a message and an empty list if storage is denied or full", async () => {
  vi.stubGlobal("indexedDB", {
    open: () => {
      throw new DOMException("no", "SecurityError");
    },
  });
  const shelf = new Shelf();
  await shelf.keep(MINE);
  expect(shelf.store.getState()).toMatchObject({
    lessons: [],
    message: expect.stringMatching(/does not store lessons/),
  });
});

test("keeps an unreadable row in the database, and leaves it out of the list", async () => {
  const shelf = new Shelf();
  await shelf.keep(MINE);
  const database = await openDB("mmscope.own-lessons", 1);
  await database.put("lessons", { name: "strange", pages: 3 });
  const next = await again();
  expect(names(next)).toEqual(["mine"]);
  expect(await database.count("lessons")).toBe(2);
  database.close();
});
