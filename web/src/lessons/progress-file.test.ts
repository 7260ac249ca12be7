import { expect, test } from "vitest";
import {
  type ProgressFile,
  progressFileName,
  readProgressBlob,
  readProgressText,
  writeProgressFile,
} from "./progress-file";

const FILE: ProgressFile = {
  name: "Ada",
  saved: "2026-11-27T10:00:00.000Z",
  lessons: {
    "watermarks-and-kswapd": {
      given: { "who/10/1": "player", "who/500/1": "kswapd" },
      settings: { who: { value: "500", seed: 1 } },
      built: { fix: { set: { factor: "10" }, isTried: true } },
      shown: ["luck"],
      visited: ["full"],
      current: "who",
    },
  },
};

const faultOf = (text: string): string => {
  const read = readProgressText(text);
  return read.ok ? "" : read.fault;
};
const changed = (change: object) =>
  JSON.stringify({ ...JSON.parse(writeProgressFile(FILE)), ...change });

test("reads a saved file back unchanged", () => {
  expect(readProgressText(writeProgressFile(FILE))).toEqual({ ok: true, file: FILE });
});

test("reads settings of an earlier version", () => {
  const text = changed({
    lessons: {
      a: { given: {}, settings: { who: { factor: "10", seed: 2 } }, visited: [], current: null },
    },
  });
  const read = readProgressText(text);
  if (!read.ok) throw new Error(read.fault);
  expect(read.file.lessons.a).toMatchObject({
    settings: { who: { value: "10", seed: 2 } },
    shown: [],
  });
});

test("names the error in a file that is damaged, newer, or not from mmscope", () => {
  expect(faultOf("hello")).toMatch(/^Line 1: /);
  expect(faultOf("[1]")).toMatch(/does not contain answers saved by mmscope/);
  expect(faultOf("{}")).toMatch(/does not contain answers saved by mmscope/);
  expect(faultOf('{"format": "mmscope moment", "v": 1}')).toMatch(/does not contain answers/);
  expect(faultOf(changed({ v: 2 }))).toMatch(/format is 2, from a newer mmscope/);
  expect(faultOf(changed({ name: "  " }))).toBe("Line 1: name is empty, or too short.");
  expect(faultOf(changed({ name: 5 }))).toBe("Line 1: name is 5; it must be a text.");
  expect(faultOf(changed({ lessons: { a: { given: { q: 1 } } } }))).toMatch(
    /^Line 1: lessons\.a\./,
  );
  expect(faultOf(writeProgressFile(FILE).replace('"who"', '"who'))).toMatch(/^Line \d+: /);
});

test("refuses a file of more than 1 MiB", async () => {
  const read = await readProgressBlob(new Blob([" ".repeat(1_100_000)]));
  expect(read).toMatchObject({ ok: false, fault: expect.stringMatching(/more than 1 MiB/) });
});

test("creates file names without characters that file systems refuse", () => {
  expect(progressFileName("Ada Lovelace")).toBe("Ada Lovelace.mmscope-progress.json");
  expect(progressFileName('../a:b"c')).toBe("a b c.mmscope-progress.json");
  expect(progressFileName("...")).toBe("answers.mmscope-progress.json");
});
