import { readdirSync, readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { loadEngine, measureNow } from "../../engine/loaded.test-support";
import type { Measure } from "../../engine/measure";
import { Folders } from "./opened";
import { filesIn, folderOf } from "./read";
import { Shelf } from "./shelf";

const LESSON = "lessons/watermarks-and-kswapd";

/** The files of a lesson, with changes. */
const filesOf = (change: (name: string, text: string) => string = (_, text) => text) =>
  readdirSync(LESSON).map(
    (name) => new File([change(name, readFileSync(`${LESSON}/${name}`, "utf8"))], name),
  );

const engine = loadEngine();
const begin = () =>
  new Folders((work) => work(async (asked: Measure) => measureNow(engine, 0, asked)));

const later = async <T>(value: T) => value;

test("opens a folder with a lesson and keeps it open when the next folder has errors", async () => {
  const folders = begin();
  await folders.open("mine", later(filesOf()));
  expect(folders.store.getState()).toMatchObject({ opened: { name: "mine" }, refused: null });
  const { opened } = folders.store.getState();

  const broken = filesOf((name, text) => (name === "lesson.json" ? text.slice(0, -3) : text));
  await folders.open("broken", later(broken));
  const { refused, opened: still } = folders.store.getState();
  expect(still).toBe(opened);
  expect(refused).toMatchObject({ name: "broken", faults: [{ file: "lesson.json" }] });
  folders.keep();
  expect(folders.store.getState()).toEqual({ opened, refused: null, reading: null });
});

test("names each refusal of the engine once, by file and line", async () => {
  const folders = begin();
  const messageFor = async (name: string, from: string, to: string) => {
    const files = filesOf((file, text) => (file === name ? text.replace(from, to) : text));
    await folders.open("mine", later(files));
    const faults = folders.store.getState().refused?.faults ?? [];
    const [before = ""] = readFileSync(`${LESSON}/${name}`, "utf8").split(from);
    const line = before.split("\n").length;
    return faults.map((f) => (f.file === name && f.line === line ? f.reason : JSON.stringify(f)));
  };
  expect(await messageFor("experiments.json", '"length": "40ms"', '"length": "forty"')).toEqual([
    expect.stringMatching(/^length: /),
  ]);
  expect(await messageFor("experiments.json", '"hz": 250', '"hz": 0')).toEqual([
    expect.stringMatching(/^machine\.hz: /),
  ]);
  expect(await messageFor("questions.json", '"100", "500"]', '"lots", "500"]')).toEqual([
    expect.stringMatching(/watermark_scale_factor/),
  ]);
});

test("shows a lesson only after the browser has stored it", async () => {
  const shelf = new Shelf();
  let finish: (() => void) | undefined;
  shelf.keep = () => new Promise((resolve) => (finish = resolve));
  const folders = new Folders((work) => work(async (asked) => measureNow(engine, 0, asked)), shelf);
  const opening = folders.open("mine", later(filesOf()));
  await vi.waitFor(() => expect(finish).toBeDefined(), { timeout: 20_000 });
  expect(folders.store.getState()).toMatchObject({ reading: "mine", opened: null });
  finish?.();
  await opening;
  expect(folders.store.getState()).toMatchObject({ reading: null, opened: { name: "mine" } });
});

test("opens the folder that was requested last", async () => {
  const folders = begin();
  let arrive: (files: File[]) => void = () => {};
  const slow = folders.open("slow", new Promise((resolve) => (arrive = resolve)));
  await folders.open("quick", later(filesOf()));
  arrive(filesOf());
  await slow;
  expect(folders.store.getState().opened?.name).toBe("quick");
});

test("refuses a folder that cannot be read or is far too large", async () => {
  const folders = begin();
  await folders.open("gone", Promise.reject(new Error("no")));
  expect(folders.store.getState().refused?.faults[0]?.reason).toMatch(/could not read this folder/);
  const large = filesOf((name, text) => (name === "claims.json" ? " ".repeat(2 ** 21) : text));
  await folders.open("large", later(large));
  expect(folders.store.getState().refused?.faults).toEqual([
    { file: "claims.json", line: null, reason: expect.stringMatching(/larger than 1 MiB/) },
  ]);
});

test("reads all files of a dropped folder and nothing else", async () => {
  const entry = (name: string) => ({
    isFile: true,
    file: (done: (file: File) => void) => done(new File(["x"], name)),
  });
  const parts = [[entry("a"), { isFile: false }], [entry("b")], []];
  const folder = {
    createReader: () => ({ readEntries: (done: (all: unknown) => void) => done(parts.shift()) }),
  };
  const files = await filesIn(folder as unknown as FileSystemDirectoryEntry);
  expect(files.map(({ name }) => name)).toEqual(["a", "b"]);
});

test("names a chosen folder and skips files in its subfolders", () => {
  const file = (webkitRelativePath: string) => ({ webkitRelativePath }) as File;
  const { name, files } = folderOf([file("mine/index.mdx"), file("mine/old/index.mdx")]);
  expect([name, files.length]).toEqual(["mine", 1]);
});
