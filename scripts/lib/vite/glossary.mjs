// The glossary as data: docs/glossary.md is the only source for its page, for the terms explained on the
// page, and for the terms in lessons.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../project.mjs";

const file = join(root, "docs", "glossary.md");
/** The section whose terms the page explains. */
const EXPLAINED = "The kernel's words";

/** The module that the page imports. */
const MODULE = "virtual:glossary";
/** The module's internal name in the bundler; no file has this name. */
const RESOLVED = `\0${MODULE}`;

/**
 * @typedef {object} Entry
 * @property {string} id its address in the glossary: `#/glossary/ID`
 * @property {string[]} names the term and its synonyms, the usual name first
 * @property {string} text its meaning, without Markdown
 */

/** The address of a term. @param {string} name */
export const idOf = (name) =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");

/** The words of a Markdown cell. @param {string} cell */
const plain = (cell) => cell.replaceAll(/[`*]/g, "").trim();

/** The names in a first cell: "watermark, mark". @param {string} cell */
export const namesOf = (cell) => plain(cell).split(", ");

/**
 * The kernel terms in the present file.
 * @returns {Entry[]}
 */
export function readEntries() {
  const text = readFileSync(file, "utf8");
  const section = text.split(/^## /m).find((part) => part.startsWith(EXPLAINED)) ?? "";
  const rows = section.split("\n").filter((line) => /^\| (?!word \||---)/.test(line));
  return rows.map((row) => {
    const [word = "", meaning = ""] = row.replaceAll(/^\| | \|$/g, "").split(" | ");
    const names = namesOf(word);
    return { id: idOf(names[0] ?? ""), names, text: plain(meaning) };
  });
}

/**
 * Provides the page with the kernel terms.
 * @returns {import("vite").Plugin}
 */
export function glossary() {
  return {
    name: "mmscope:glossary",
    resolveId: (id) => (id === MODULE ? RESOLVED : null),
    load(id) {
      if (id !== RESOLVED) return null;
      this.addWatchFile(file);
      return `export const ENTRIES = ${JSON.stringify(readEntries())};`;
    },
  };
}
