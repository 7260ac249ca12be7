// Work that people saved with an earlier version: links, files, a library, progress and a draft. Its meaning
// must not change. `e2e/before.spec.ts` opens the same files in a browser.

import { readdirSync, readFileSync } from "node:fs";
import { afterEach, expect, test, vi } from "vitest";
import { presetsOf } from "../engine/catalog";
import { catalog, readNow } from "../engine/loaded.test-support";
import { readFile } from "../keep/file";
import { readProgress } from "../lessons/progress";
import { workOf } from "../link/draft";
import { documentOf, type Link, openLink } from "../link/link";

const BEFORE = "e2e/before";
const presets = presetsOf(catalog);
const read = (name: string) => readFileSync(`${BEFORE}/${name}`, "utf8");

interface Made {
  readonly name: string;
  readonly fragment: string;
  readonly document: Readonly<Record<string, unknown>>;
}
const LINKS: readonly Made[] = JSON.parse(read("links.json"));
const STORAGE: { readonly local: Readonly<Record<string, string>> } = JSON.parse(
  read("storage.json"),
);

/** The link in a saved example. */
function opened({ fragment }: Made): Link {
  const read = openLink(fragment.split("x=")[1] ?? "", presets);
  if (!read.ok) throw new Error(`${read.why}: ${read.detail}`);
  return read.link;
}

/** The content of a document, without its format version. */
const bare = ({ v: _, ...document }: Readonly<Record<string, unknown>>) => document;

test.each(LINKS)("the link of $name keeps its whole content, and the engine accepts it", (made) => {
  const link = opened(made);
  expect(bare(documentOf(link, presets))).toEqual(bare(made.document));
  expect(readNow(link.experiment).kind).toBe("checked");
});

test.each(LINKS)("the file of $name contains the moment of its link", (made) => {
  const file = readFile(read(`files/${made.name}.mmscope.json`), presets);
  if (file.kind !== "moment") throw new Error(`it is ${JSON.stringify(file)}`);
  const link = opened(made);
  expect(file.link).toEqual({ ...link, experiment: file.link.experiment });
  expect(JSON.parse(file.link.experiment)).toEqual(JSON.parse(link.experiment));
});

test("every file has its link", () => {
  const names = [...LINKS.map(({ name }) => `${name}.mmscope.json`), "mmscope-library.json"];
  expect(readdirSync(`${BEFORE}/files`).sort()).toEqual(names.sort());
});

test("the file of the library has every moment with its date", () => {
  const file = readFile(read("files/mmscope-library.json"), presets);
  if (file.kind !== "library") throw new Error(`it is ${JSON.stringify(file)}`);
  expect(file.faults).toEqual([]);
  // Newest first.
  const links = LINKS.map(opened).reverse();
  const parsed = ({ experiment, ...rest }: Link) => ({
    ...rest,
    experiment: JSON.parse(experiment),
  });
  expect(file.moments.map(({ link }) => parsed(link))).toEqual(links.map(parsed));
  for (const { saved_ms } of file.moments) {
    expect(new Date(saved_ms).toISOString()).toMatch(/^2026-11-24T/);
  }
});

afterEach(() => vi.unstubAllGlobals());

const LESSON = "mmscope.lesson.";
const LESSONS = Object.keys(STORAGE.local).filter((key) => key.startsWith(LESSON));

test.each(LESSONS)("reads the complete progress stored under %s", (key) => {
  vi.stubGlobal("localStorage", { getItem: (name: string) => STORAGE.local[name] ?? null });
  const stored = JSON.parse(STORAGE.local[key] ?? "");
  expect(stored.visited.length).toBeGreaterThan(0);
  expect(readProgress(key.slice(LESSON.length))).toEqual({ shown: [], ...stored });
});

test("the draft still counts as the user's work", () => {
  expect(LESSONS.length).toBe(2);
  expect(workOf(STORAGE.local["mmscope.draft"] ?? "")).toContain("My draft");
});
