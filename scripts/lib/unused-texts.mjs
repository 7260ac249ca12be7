// Finds texts of the catalogs that no component shows: members of a catalog's exported objects that no file
// names.

import { parseSync } from "vite";

/** @typedef {{ type: string, start: number, end: number, [key: string]: unknown }} Node */
/** @typedef {{ line: number, name: string }} UnusedText */

/**
 * The direct members of the objects that a catalog exports.
 *
 * @param {string} file
 * @param {string} source
 * @returns {{ object: string, member: string, start: number }[]}
 */
function membersOf(file, source) {
  const { program } = parseSync(file, source);
  return program.body.flatMap((statement) => {
    if (statement.type !== "ExportNamedDeclaration") return [];
    if (statement.declaration?.type !== "VariableDeclaration") return [];
    return statement.declaration.declarations.flatMap(({ id, init }) => {
      const value = init?.type === "TSAsExpression" ? init.expression : init;
      if (id.type !== "Identifier" || value?.type !== "ObjectExpression") return [];
      return value.properties.flatMap((property) => {
        if (property.type !== "Property" || property.computed) return [];
        const { key } = property;
        if (key.type !== "Identifier") return [];
        return [{ object: id.name, member: key.name, start: property.start }];
      });
    });
  });
}

/** A name as a whole word. @param {string} name */
const word = (name) => new RegExp(`(?<![\\w$])${name.replaceAll("$", "\\$")}(?![\\w$])`);

/**
 * Whether a file picks members by a value, or passes the whole object on: then any member can be in use. An
 * import may rename the object.
 *
 * @param {string} source
 * @param {string} object
 */
function passesOn(source, object) {
  const alias = new RegExp(`\\b${object} as (\\w+)`).exec(source)?.[1] ?? object;
  const uses = source.replace(/import [^;]*;/gs, "").replace(/\/\*.*?\*\/|\/\/[^\n]*/gs, "");
  return new RegExp(`(?:(?<![\\w$.])|(?<=\\bwords\\.))${alias}(?!\\w|\\.|:| =|\\?\\.)`).test(
    uses.replace(new RegExp(`\\} = ${alias};`, "g"), ""),
  );
}

/**
 * The unused members of a catalog. `sources` are all other files of the page.
 *
 * @param {string} file
 * @param {string} source
 * @param {readonly string[]} sources
 * @returns {UnusedText[]}
 */
export function unusedTexts(file, source, sources) {
  return membersOf(file, source).flatMap(({ object, member, start }) => {
    const readers = sources.filter((each) => word(object).test(each));
    const isInUse =
      readers.some((each) => passesOn(each, object) || word(member).test(each)) ||
      new RegExp(`\\b${object}(\\.${member}\\b|\\[)`).test(source);
    if (isInUse) return [];
    const line = source.slice(0, start).split("\n").length;
    return [{ line, name: `${object}.${member}` }];
  });
}
