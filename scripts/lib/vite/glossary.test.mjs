// The glossary page and the explanations on the page have the same text.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../project.mjs";
import { idOf, namesOf, readEntries } from "./glossary.mjs";

const text = readFileSync(join(root, "docs", "glossary.md"), "utf8");
const entries = readEntries();
/** First cells of all tables, without the headers. */
const words = [...text.matchAll(/^\| (?!word |---|was )([^|]+) \|/gm)].map(([, word]) =>
  String(word),
);

test("the glossary has every term that the page explains, with its names and its text", () => {
  const watermark = entries.find(({ id }) => id === "watermark");
  expect(watermark?.names).toEqual(["watermark", "mark"]);
  expect(watermark?.text).toMatch(
    /^A threshold for the number of free pages in a zone: min, low or high\. .*stops\.$/,
  );
  for (const { names, text: meaning } of entries) {
    const row = `| ${names.join(", ")} | `;
    expect(text.replaceAll(/[`*]/g, "")).toContain(row + meaning);
  }
});

test("every term has a unique address that no heading has", () => {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => idOf(String(heading)));
  const ids = words.map((word) => idOf(namesOf(word)[0] ?? ""));
  const all = [...ids, ...headings];
  expect(all.filter((id, i) => all.indexOf(id) !== i)).toEqual([]);
});

test("an explanation has at most three sentences of at most 30 words", () => {
  const long = entries.flatMap(({ id, text: meaning }) => {
    const sentences = meaning.split(/(?<=[.;:]) /);
    const isLong = sentences.some((sentence) => sentence.split(" ").length > 30);
    return isLong || meaning.split(/(?<=\.) (?=[A-Z])/).length > 3 ? [id] : [];
  });
  expect(long).toEqual([]);
});
