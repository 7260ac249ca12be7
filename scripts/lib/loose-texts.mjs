// Finds texts of the page outside the catalogs: words in JSX, in attributes that people read, and strings that
// read as prose.

import { parseSync } from "vite";

/** @typedef {{ type: string, start: number, end: number, [key: string]: unknown }} Node */
/** @typedef {{ line: number, text: string }} LooseText */

/** A catalog: `words.ts`, or functions that make sentences from values, as in `cpu-words.ts`. */
export const isCatalog = (/** @type {string} */ path) => /(^|[/-])words\.ts$/.test(path);

/** Attributes and properties whose strings are always shown to users. */
const READ_BY_PEOPLE = new Set([
  ...["about", "alt", "aria-description", "aria-label", "aria-roledescription", "aria-valuetext"],
  ...["caption", "heading", "help", "hint", "label", "legend", "note", "placeholder", "title"],
  ...["tooltip", "unit", "words"],
]);

/** Attributes whose strings are for programs. */
const READ_BY_PROGRAMS = new Set([
  "className",
  "style",
  "d",
  "id",
  "key",
  "data-term",
  "href",
  "viewBox",
]);

/** Elements that contain kernel names or keys, which are the same in every language. */
const VERBATIM = new Set(["code", "kbd"]);

/** Calls whose strings are for programs or developers. */
const FOR_PROGRAMS = new Set([
  "closest",
  "includes",
  "matches",
  "querySelector",
  "querySelectorAll",
  "error",
  "warn",
]);

const hasWord = (/** @type {string} */ text) => /\p{L}{2}/u.test(text);

/**
 * The signs of prose in a string: a capital letter and another word, three words in a row, or the
 * end of a sentence.
 */
const PROSE = [
  /^\s*[\p{Lu}“][\p{L}’']*[,:]? +\S*\p{L}/u,
  /\p{L}{2} \p{L}+ \p{L}{2}/u,
  /\p{L} .*\p{L}[.:!?]\s*$/u,
];

/** An additional sign of prose in a template: a word between two values. */
const BETWEEN_VALUES = /^…[,:.]? (?!button|input|path|svg)\p{Ll}{2,}\b|…,? \p{Ll}{2,} …/u;

/** A single word with a capital letter that is not the name of a key. */
const LABEL =
  /^(?!(Alt|Backspace|Control|Delete|End|Enter|Escape|Home|Meta|Shift|Space|Tab)$)\p{Lu}\p{Ll}+$/u;

/** @param {Node} node @param {string} text */
const isProse = ({ type }, text) =>
  PROSE.some((sign) => sign.test(text)) ||
  (type === "TemplateLiteral" && BETWEEN_VALUES.test(text));

/**
 * The comment at the end of a line whose strings are not texts of the page; the reason follows it.
 */
const SUPPRESSION = "// not a text: ";

/** @param {unknown} value @returns {value is Node} */
const isNode = (value) =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";

/** @param {unknown} node */
const nameOf = (node) => {
  if (!isNode(node)) return "";
  if (node.type === "JSXNamespacedName") return "";
  return String(node.name ?? node.value ?? "");
};

/** The constant parts of a string or template; undefined for another node. @param {Node} node */
function constantOf(node) {
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type !== "TemplateLiteral") return undefined;
  const parts = /** @type {{ value: { cooked: string } }[]} */ (node.quasis);
  return parts.map(({ value }) => value.cooked).join("…");
}

/**
 * The parts of an expression whose value can become the value of the expression. @param {Node} node
 * @returns {unknown[]}
 */
function valuesOf(node) {
  switch (node.type) {
    case "ConditionalExpression":
      return [node.consequent, node.alternate];
    case "LogicalExpression":
      return node.operator === "&&" ? [node.right] : [node.left, node.right];
    case "BinaryExpression":
      return node.operator === "+" ? [node.left, node.right] : [];
    case "TemplateLiteral":
      return /** @type {unknown[]} */ (node.expressions);
    case "ObjectExpression":
      return /** @type {Node[]} */ (node.properties);
    case "Property":
      return [node.value];
    case "JSXExpressionContainer":
    case "ParenthesizedExpression":
    case "TSAsExpression":
      return [node.expression];
    default:
      return [];
  }
}

/** Whether a node's strings cannot be prose, so that the search skips it. @param {Node} node */
function isForPrograms(node) {
  if (/^(Import|ExportAll)|^TS(?!As|NonNull|Satisfies)/.test(node.type)) return true;
  if (node.type === "JSXAttribute") return READ_BY_PROGRAMS.has(nameOf(node.name));
  if (node.type === "NewExpression")
    return /Error$/.test(nameOf(node.callee)) && nameOf(node.callee) === "Error";
  if (node.type !== "CallExpression" || !isNode(node.callee)) return false;
  return FOR_PROGRAMS.has(nameOf(node.callee.property));
}

/** The parts of a node whose strings are always texts. @param {Node} node @returns {unknown[]} */
function readByPeople(node) {
  if (
    node.type === "VariableDeclarator" &&
    /(^|_)(WORDS|LABELS|TITLES|NAMES)$/.test(nameOf(node.id))
  ) {
    const table =
      isNode(node.init) && node.init.type.startsWith("TS") ? node.init.expression : node.init;
    return isNode(table) && table.type === "ObjectExpression" ? [table] : [];
  }
  if (node.type === "JSXAttribute" || node.type === "Property") {
    const name = nameOf(node.name ?? node.key);
    return READ_BY_PEOPLE.has(name) ? [node.value] : [];
  }
  if (node.type === "CallExpression" && nameOf(node.callee) === "counted") {
    return /** @type {unknown[]} */ (node.arguments).slice(1);
  }
  if (node.type !== "JSXElement" && node.type !== "JSXFragment") return [];
  const children = /** @type {Node[]} */ (node.children);
  return children.filter(({ type }) => type === "JSXExpressionContainer");
}

/** Is a string compared with another value, or the name of a property? @param {Node} node @param {unknown} child */
function isComparedOrKey({ type, operator, key }, child) {
  if (type === "Property") return child === key;
  return (
    type === "BinaryExpression" &&
    operator !== "+" &&
    isNode(child) &&
    constantOf(child) !== undefined
  );
}

/** @param {Node} node */
const isVerbatim = (node) =>
  node.type === "JSXElement" &&
  isNode(node.openingElement) &&
  VERBATIM.has(nameOf(node.openingElement.name));

/**
 * @param {string} file its extension gives the language
 * @param {string} source
 * @returns {LooseText[]} each text that should be in a catalog, in order
 */
export function looseTexts(file, source) {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file} cannot be read: ${errors[0]?.message}`);
  /** @type {Map<number, string>} */
  const found = new Map();
  /** @param {unknown} value @param {boolean} isText whether strings here are always texts */
  const visit = (value, isText) => {
    if (Array.isArray(value)) for (const each of value) visit(each, isText);
    if (!isNode(value) || isForPrograms(value) || isVerbatim(value)) return;
    const text = value.type === "JSXText" ? String(value.value) : constantOf(value);
    const isRead = isText || value.type === "JSXText";
    const isLabel = file.endsWith(".tsx") && LABEL.test(text ?? "");
    if (text !== undefined && (isRead ? hasWord(text) : isLabel || isProse(value, text)))
      found.set(value.start, text.trim().replace(/\s+/g, " "));
    const values = isText ? valuesOf(value) : [];
    const texts = new Set([...values, ...readByPeople(value)]);
    const children = Object.values(value).flat();
    for (const child of children) {
      if (!isComparedOrKey(value, child)) visit(child, texts.has(child));
    }
  };
  visit(program, false);
  const lines = source.split("\n");
  /** The line of the first character that is not a space. @param {number} at */
  const lineOf = (at) => source.slice(0, at + source.slice(at).search(/\S/)).split("\n").length;
  return [...found]
    .sort(([a], [b]) => a - b)
    .map(([at, text]) => ({ line: lineOf(at), text }))
    .filter(({ line }) => !lines[line - 1]?.includes(SUPPRESSION));
}
