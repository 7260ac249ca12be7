// Counts the lines of each function, including JSX. Biome's `noExcessiveLinesPerFunction` skips JSX
// lines, so it never reports a long component.

import { parseSync } from "vite";

/**
 * The maximum lines of a function outside tests. The longest today are ImportDialog (106), LogTable (101),
 * EventLog and the timeline's Cells (99). Split them, then lower the limit towards the 70 that Biome
 * allows for functions without JSX.
 */
export const MOST_LINES = 110;

/**
 * @typedef {object} FunctionLength
 * @property {string} name its own name, or that of the variable or property it is assigned to
 * @property {number} line its first line
 * @property {number} lines from its first to its last, without blank lines
 */

/** @typedef {{ type: string, start: number, end: number, [key: string]: unknown }} Node */

const FUNCTIONS = ["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"];

/**
 * @param {string} file its extension gives the language
 * @param {string} source
 * @returns {FunctionLength[]} in the order of their first lines
 */
export function functionLengths(file, source) {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file} cannot be read: ${errors[0]?.message}`);
  /** @type {FunctionLength[]} */
  const found = [];
  /** @param {unknown} value @param {string} name the name that a function here would have */
  const visit = (value, name) => {
    if (Array.isArray(value)) for (const each of value) visit(each, name);
    if (!isNode(value)) return;
    const own = nameOf(value) ?? name;
    if (FUNCTIONS.includes(value.type)) found.push(lengthOf(value, own, source));
    for (const child of Object.values(value)) visit(child, own);
  };
  visit(program, "(no name)");
  return found;
}

/** @param {unknown} value @returns {value is Node} */
const isNode = (value) =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";

/** The name of a declaration, of a variable or of a property. @param {Node} node */
function nameOf(node) {
  for (const named of [node.id, node.key]) {
    if (isNode(named) && typeof named.name === "string") return named.name;
  }
  return undefined;
}

/**
 * @param {Node} node
 * @param {string} name
 * @param {string} source
 * @returns {FunctionLength}
 */
function lengthOf({ start, end }, name, source) {
  const lines = source.slice(start, end).split("\n");
  return {
    name,
    line: source.slice(0, start).split("\n").length,
    lines: lines.filter((line) => line.trim() !== "").length,
  };
}

/**
 * @param {string} file
 * @param {string} source
 * @param {number} [most]
 * @returns {string[]} a sentence for each longer function
 */
export const tooLong = (file, source, most = MOST_LINES) =>
  functionLengths(file, source)
    .filter(({ lines }) => lines > most)
    .map(
      ({ name, line, lines }) =>
        `${file}:${line}: ${name} has ${lines} lines and the limit is ${most}: split it into parts with one job each.`,
    );
