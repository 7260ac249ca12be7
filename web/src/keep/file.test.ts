import fc from "fast-check";
import { expect, test } from "vitest";
import { bareLink, CURRENT_LINK_VERSION, type Link } from "../link/link";
import { fileName, linesOf, readFile, writeLibrary, writeMoment } from "./file";

const EXPERIMENT = { id: "small", kernel: "3.0", machine: "m", workload: "w", seed: 1 };
const presets = { small: JSON.stringify(EXPERIMENT) };
const link = (more: Partial<Link> = {}): Link => ({
  ...bareLink(JSON.stringify(EXPERIMENT)),
  ...more,
});
const WHOLE = link({
  cursor: { step: 12, time_ns: 3400, hash: "0123456789abcdef", engine: "0.1.0" },
  followed: 3,
  selected: ["zone 0/DMA32"],
  lists: { 0: "0/DMA" },
  breakpoints: [{ watch: { kind: "line", name: "rmqueue", line: 2 }, off: true }],
  bookmarks: [{ step: 3, time_ns: 900, note: "here" }],
  title: "The first wake",
  note: "Look.",
  view: { tab: "values", tracks: ["pgfault"], zoom: { 0: { level: "block", pfn: 9 } } },
});

test("the file of a moment begins with its format and restores the whole moment", () => {
  const text = writeMoment(WHOLE, presets);
  expect(Object.keys(JSON.parse(text)).slice(0, 5)).toEqual([
    "format",
    "v",
    "title",
    "note",
    "experiment",
  ]);
  expect(readFile(text, presets)).toEqual({ kind: "moment", link: WHOLE, inside: "experiment" });
  // The file can be read without the ready-made experiments.
  expect(readFile(text, {})).toMatchObject({ kind: "moment" });
});

test("upgrades a file of an older format", () => {
  const text = JSON.stringify({ format: "mmscope moment", v: 1, experiment: EXPERIMENT });
  expect(readFile(text, {})).toMatchObject({ kind: "moment", link: { title: "", bookmarks: [] } });
});

test("the file of a library restores its moments and dates and names unreadable ones", () => {
  const saved_ms = Date.UTC(2024, 1, 3);
  const text = writeLibrary(
    [
      { link: WHOLE, saved_ms },
      { link: link({ title: "Second" }), saved_ms: saved_ms + 1000 },
    ],
    presets,
  );
  expect(readFile(text, presets)).toMatchObject({
    kind: "library",
    moments: [
      { link: WHOLE, saved_ms },
      { link: { title: "Second" }, saved_ms: saved_ms + 1000 },
    ],
    faults: [],
  });
  const read = readFile(text.replace('"The first wake"', "7"), presets);
  if (read.kind !== "library") throw new Error(read.kind);
  expect(read.moments.length).toBe(1);
  expect(read.faults).toEqual([expect.stringMatching(/^Line \d+: moments\[0\]: title: /)]);
});

test.each([
  ["", "not-ours", "Line 1, column 1"],
  ["{}", "not-ours", "neither a saved moment"],
  ["[]", "not-ours", "neither a saved moment"],
  ['{"format": "another"}', "not-ours", '"another"'],
  ['{"format": "mmscope moment"}', "not-ours", "which version"],
  ['{"format": "mmscope library", "v": 2}', "from-a-newer-version", "format 2"],
  ['{"format": "mmscope library", "v": 1, "moments": 1}', "invalid", "moments: must be a list"],
  [`{"v": ${CURRENT_LINK_VERSION + 1}}`, "from-a-newer-version", "It has format"],
  ['{"v": 3, "experiment": 1}', "invalid", "experiment: must be an object"],
  ['{"v": 3, "experiment": {}, "preset": "small"}', "invalid", "preset: "],
  ['{"v": 3, "preset": "gone"}', "invalid", "gone"],
  ['{\n"v": 3,\n"preset": "small",\n"cursor": {"step": -1}}', "invalid", "Line 4: cursor.step"],
  ['{\n"v": 3,\n"breakpoints": [\n{"watch": 1}]}', "invalid", "Line 4: breakpoints[0].watch"],
  [`${"[".repeat(50)}${"]".repeat(50)}`, "not-ours", "too deep"],
])("refuses %s", (text, why, says) => {
  const read = readFile(text, presets);
  expect(read).toMatchObject({ kind: "refused", why });
  expect(read.kind === "refused" && read.detail).toContain(says);
});

test("never throws, whatever the text is", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      readFile(text, presets);
      linesOf(text)("a.b");
    }),
  );
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      readFile(JSON.stringify({ format: "mmscope moment", v: 3, experiment: value }), presets);
      readFile(JSON.stringify({ format: "mmscope library", v: 1, moments: [value] }), presets);
    }),
  );
});

test.each([
  ["The first wake", "The first wake.mmscope.json"],
  ['a/b\\c: "d" <e>|?*\n', "a b c d e.mmscope.json"],
  ["...", "moment.mmscope.json"],
  ["", "moment.mmscope.json"],
  ["n".repeat(200), `${"n".repeat(80)}.mmscope.json`],
])("names the file of %j %s", (title, name) => {
  expect(fileName(title)).toBe(name);
});

test("checks a large file of invalid moments quickly", () => {
  const bad = Array.from({ length: 30_000 }, (_, i) => i).join(",\n");
  const text = `{"format": "mmscope library", "v": 1, "moments": [\n${bad}]}`;
  const began = performance.now();
  const read = readFile(text, presets);
  // It took 19 s when lines were counted again for each error.
  expect(performance.now() - began).toBeLessThan(5000);
  expect(read).toMatchObject({ kind: "library", moments: [] });
  if (read.kind === "library") expect(read.faults[29_999]).toMatch(/^Line 30001: moments\[29999\]/);
});

test.each([
  JSON.stringify(EXPERIMENT).replace("small", "a".repeat(15_000_000)),
  "a".repeat(15_000_000),
  `"${"a".repeat(15_000_000)}`,
])("refuses a text of 15 MB with a readable message", (text) => {
  const read = readFile(text, presets);
  expect(read).toMatchObject({ kind: "refused" });
  if (read.kind === "refused") expect(read.detail.length).toBeLessThan(400);
});

test("does not import a moment that a library could not open again", () => {
  const experiment = { ...EXPERIMENT, title: "a".repeat(15_000_000) };
  const moments = [{ v: CURRENT_LINK_VERSION, experiment }];
  const read = readFile(JSON.stringify({ format: "mmscope library", v: 1, moments }), presets);
  expect(read).toMatchObject({ moments: [], faults: [expect.stringContaining("the limit is")] });
});
