// The library with an in-memory database.

import "fake-indexeddb/auto";
import { IDBFactory } from "fake-indexeddb";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { putAside, readAside } from "../link/draft";
import { bareLink, type Link, writeLink } from "../link/link";
import { Database } from "./database";
import { Library } from "./library";

const presets = { small: JSON.stringify({ id: "small", kernel: "3.0", seed: 1 }) };
const titled = (title: string, seed = 1): Link => ({
  ...bareLink(JSON.stringify({ id: "small", kernel: "3.0", seed })),
  title,
});
const packed = (title: string) => writeLink(titled(title), presets);

const opened: Library[] = [];
beforeEach(() => {
  const storage = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => storage.get(key) ?? null,
    setItem: (key: string, value: string) => storage.set(key, value),
  });
  vi.stubGlobal("indexedDB", new IDBFactory());
});
afterEach(() => {
  for (const library of opened.splice(0)) library.dispose();
  vi.unstubAllGlobals();
});

async function open(): Promise<Library> {
  const library = new Library(presets);
  opened.push(library);
  await expect.poll(() => library.store.getState().entries).not.toBeNull();
  return library;
}

const titles = (library: Library, kind: "saved" | "recent" = "saved") =>
  (library.store.getState().entries ?? [])
    .filter((entry) => entry.kind === kind)
    .map((entry) => library.linkOf(entry)?.title);

const shows = (library: Library, expected: string[]) =>
  expect.poll(() => titles(library).sort()).toEqual(expected);

test("keeps a saved moment for the next visit, and only once", async () => {
  const library = await open();
  await library.save(titled("One"));
  await shows(library, ["One"]);
  await library.save(titled("One"));
  expect(library.store.getState().message).toBe("This moment is saved already.");
  await library.save(titled("Two"));
  const later = await open();
  await shows(later, ["One", "Two"]);
});

test("notices a change by another tab", async () => {
  const [here, there] = [await open(), await open()];
  await here.save(titled("One"));
  await shows(there, ["One"]);
});

test("a deletion can be undone but an erasure cannot", async () => {
  const library = await open();
  await library.save(titled("One"));
  await library.save(titled("Two"));
  await shows(library, ["One", "Two"]);
  const [first] = library.store.getState().entries ?? [];
  if (!first) throw new Error("nothing is there");
  await library.remove(first);
  await expect.poll(() => titles(library).length).toBe(1);
  await library.undo();
  await shows(library, ["One", "Two"]);
  putAside(packed("Aside"), 5);
  await library.erase();
  await shows(library, []);
  expect(library.store.getState().deleted).toEqual([]);
  expect(readAside()).toEqual([]);
});

test("lists results of reports, deletes single ones, and erases all of them with the moments", async () => {
  const library = await open();
  const database = new Database(() => {});
  const run = (kernel: string, run_ms: number) => ({
    id: `x ${kernel}`,
    experiment: "x",
    kernel,
    run_ms,
    result: {},
  });
  await database.changeRuns({ put: [run("3.0", 1), run("3.1", 2), run("3.16", 3)] });
  const kernels = () => library.store.getState().runs.map(({ kernel }) => kernel);
  await expect.poll(() => kernels()).toEqual(["3.16", "3.1", "3.0"]);
  await library.forget([run("3.1", 2)]);
  await expect.poll(() => kernels()).toEqual(["3.16", "3.0"]);
  await library.erase();
  await expect.poll(() => kernels()).toEqual([]);
  database.close();
});

test("a merge keeps existing moments and skips duplicates", async () => {
  const library = await open();
  await library.save(titled("One"));
  await shows(library, ["One"]);
  const moments = ["One", "Two", "Two"].map((title, i) => ({ link: titled(title), saved_ms: i }));
  expect(await library.merge(moments, [])).toEqual({ added: 1, known: 2 });
  await shows(library, ["One", "Two"]);
  expect(library.export().map(({ saved_ms }) => saved_ms)).toContain(1);
});

test("opening the library imports at most ten replaced drafts without duplicates", async () => {
  for (let i = 0; i < 8; i += 1) putAside(packed(`Work ${i}`), i);
  await open();
  expect(readAside()).toEqual([]);
  const moved = { ...titled("Work 3"), cursor: CURSOR };
  putAside(writeLink(moved, presets), 100);
  for (let i = 8; i < 12; i += 1) putAside(packed(`Work ${i}`), i);
  const library = await open();
  const recent = titles(library, "recent");
  expect(recent.length).toBe(10);
  expect(recent[0]).toBe("Work 3");
  expect(recent).not.toContain("Work 0");
  expect(recent.filter((title) => title === "Work 3").length).toBe(1);
});

const CURSOR = { step: 9, time_ns: 9, hash: "0123456789abcdef", engine: "0.1.0" };

test("shows a message when IndexedDB fails and keeps the drafts that wait", async () => {
  vi.stubGlobal("indexedDB", {
    open: () => {
      throw new DOMException("no", "SecurityError");
    },
  });
  putAside(packed("Work"), 1);
  const library = new Library(presets);
  opened.push(library);
  await expect.poll(() => library.store.getState().fault).toMatch(/denies storage/);
  await library.save(titled("One"));
  expect(library.store.getState().message).toMatch(/denies storage/);
  expect(readAside().length).toBe(1);
});
