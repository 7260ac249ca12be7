// Turns docs/ into pages: Markdown with tables, with links that lead to our pages.

import remarkParse from "remark-parse";
import { unified } from "unified";
import { namesOf, idOf as wordId } from "./glossary.mjs";

/**
 * @typedef {object} Node a node of a Markdown tree, with the fields that are read here
 * @property {string} type
 * @property {string} [value]
 * @property {string} [url]
 * @property {number} [depth]
 * @property {Node[]} [children]
 * @property {{ hProperties?: Record<string, string | number>, hName?: string }} [data]
 * @property {{ start: { offset?: number }, end: { offset?: number } }} [position]
 * @property {string} [title]
 * @property {boolean} [ordered]
 * @property {boolean} [spread]
 * @property {("left" | null)[]} [align]
 */

/** The page's address of each file that may be a link target. */
const ADDRESSES = {
  "manual.md": "#/manual",
  "glossary.md": "#/glossary",
  "experiment.md": "#/experiment",
  "../web/src/link/CHANGELOG.md": "#/links",
};

/** A text with more headings than this begins with a table of contents. */
const NO_CONTENTS = 3;

const parser = unified().use(remarkParse);

/**
 * A plugin for remark; it does not change lessons, which are `.mdx`.
 * @returns {import("unified").Transformer}
 */
export function docs() {
  return (root, file) => {
    if (file.extname !== ".md") return;
    const tree = /** @type {Node} */ (/** @type {unknown} */ (root));
    const own = Object.entries(ADDRESSES).find(([name]) =>
      file.path.endsWith(name.replace("../", "")),
    )?.[1];
    if (own === undefined) return;
    const isGlossary = own === ADDRESSES["glossary.md"];
    tree.children = (tree.children ?? []).map(
      (node) => tableOf(node, String(file.value), isGlossary) ?? node,
    );
    const headings = (tree.children ?? []).filter(({ type }) => type === "heading");
    const ids = numbered(headings.map((heading) => idOf(textOf(heading))));
    headings.forEach((heading, i) => {
      heading.data = { hProperties: { id: ids[i] ?? "" } };
    });
    const sections = headings.flatMap((heading, i) =>
      heading.depth === 2 ? [{ text: textOf(heading), url: `${own}/${ids[i]}` }] : [],
    );
    mendLinks(tree, own, new Set(ids), file.path);
    if (sections.length > NO_CONTENTS) addContents(tree, sections);
  };
}

/**
 * The table in a paragraph, if the paragraph is one: plain Markdown has no tables.
 * @param {Node} node
 * @param {string} source
 * @param {boolean} hasWords each row is a glossary term with an address of its own
 * @returns {Node | null}
 */
function tableOf({ type, position }, source, hasWords) {
  const text = source.slice(position?.start.offset, position?.end.offset);
  if (type !== "paragraph" || !/^\|.*\|\n\|[ :|-]+\|(\n|$)/.test(text)) return null;
  const [head = "", , ...body] = text.split("\n");
  return {
    type: "table",
    ...(hasWords && { data: { hProperties: { className: "words" } } }),
    align: cellsOf(head).map(() => null),
    children: [head, ...body].map((row, i) => ({
      type: "tableRow",
      children: cellsOf(row),
      ...(hasWords && i > 0 && { data: { hProperties: { id: wordOf(row), tabIndex: -1 } } }),
    })),
  };
}

/** The address of the term at the start of a row. @param {string} row */
const wordOf = (row) => wordId(namesOf(row.split("|")[1] ?? "")[0] ?? "");

/**
 * @param {string} row
 * @returns {Node[]}
 */
const cellsOf = (row) =>
  row
    .trim()
    .replace(/^\||\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => ({ type: "tableCell", children: inline(cell.trim().replaceAll("\\|", "|")) }));

/**
 * @param {string} text
 * @returns {Node[]}
 */
function inline(text) {
  const tree = /** @type {Node} */ (/** @type {unknown} */ (parser.parse(text)));
  return tree.children?.[0]?.children ?? [];
}

/**
 * @param {Node} node
 * @returns {string}
 */
const textOf = (node) => node.value ?? (node.children ?? []).map(textOf).join("");

/**
 * The same ids as on GitHub, so that a link within a file works in both places.
 * @param {string} text
 */
const idOf = (text) =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

/**
 * Makes ids unique.
 * @param {string[]} ids
 */
function numbered(ids) {
  /** @type {Map<string, number>} */
  const seen = new Map();
  return ids.map((id) => {
    const before = seen.get(id) ?? 0;
    seen.set(id, before + 1);
    return before === 0 ? id : `${id}-${before}`;
  });
}

/**
 * Links within this text and to other texts of the page; a broken link fails the build.
 * @param {Node} node
 * @param {string} own the address of this text
 * @param {ReadonlySet<string>} ids its headings
 * @param {string} path
 */
function mendLinks(node, own, ids, path) {
  if (node.type === "link") {
    const url = node.url ?? "";
    if (/^https?:/.test(url)) {
      node.data = { hProperties: { target: "_blank", rel: "noreferrer" } };
    } else if (url.startsWith("#") && ids.has(url.slice(1))) {
      node.url = `${own}/${url.slice(1)}`;
    } else {
      const [file = "", id] = url.split("#");
      const address = ADDRESSES[/** @type {keyof typeof ADDRESSES} */ (file)];
      if (address === undefined) throw new Error(`${path}: the page has nothing at "${url}".`);
      node.url = id === undefined ? address : `${address}/${id}`;
    }
  }
  for (const child of node.children ?? []) mendLinks(child, own, ids, path);
}

/**
 * Puts a list of the sections below the title.
 * @param {Node} tree
 * @param {{ text: string, url: string }[]} sections
 */
function addContents(tree, sections) {
  const items = sections.map(({ text, url }) => ({
    type: "listItem",
    children: [{ type: "link", url, children: [{ type: "text", value: text }] }],
  }));
  const list = { type: "list", ordered: false, spread: false, children: items };
  const nav = {
    type: "contents",
    data: { hName: "nav", hProperties: { "aria-label": "Sections", className: "contents" } },
    children: [list],
  };
  const title = (tree.children ?? []).findIndex(({ type }) => type === "heading");
  tree.children?.splice(title + 1, 0, nav);
}
