// The glossary as data: docs/glossary.md is the one text for its page, for the terms the page explains
// where they stand, and for the terms in lessons.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../project.mjs";

const file = join(root, "docs", "glossary.md");
/** The section whose words the page explains. */
const EXPLAINED = "The kernel's words";

/** What the page imports. */
const MODULE = "virtual:glossary";
/** As the bundler knows it: a name no file has. */
const RESOLVED = `\0${MODULE}`;

/**
 * @typedef {object} Entry
 * @property {string} id its address in the glossary: `#/glossary/ID`
 * @property {string[]} names what it is called, the usual name first
 * @property {string} text what it means, without marks of Markdown
 */

/** The address of a word. @param {string} name */
export const idOf = (name) =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");

/** Words of a cell of Markdown. @param {string} cell */
const plain = (cell) => cell.replaceAll(/[`*]/g, "").trim();

/** The names in a first cell: "watermark, mark". @param {string} cell */
export const namesOf = (cell) => plain(cell).split(", ");

/**
 * The kernel's words as they are now.
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
 * Gives the page the kernel's words.
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
