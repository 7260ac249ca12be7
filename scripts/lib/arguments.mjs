// Parses the options of our commands.

import { Refusal } from "./project.mjs";

/**
 * Reads `--name value` and `--name=value`; rejects anything else and names it.
 * @param {string[]} words
 * @param {Record<string, string>} defaults all options
 * @returns {Record<string, string>}
 */
export function readOptions(words, defaults) {
  const options = { ...defaults };
  const rest = words.flatMap((word) => {
    const [name, value] = word.split(/=(.*)/s, 2);
    return value === undefined || name === undefined ? [word] : [name, value];
  });
  for (let index = 0; index < rest.length; index += 2) {
    const name = (rest[index] ?? "").replace(/^--/, "");
    const value = rest[index + 1];
    if (!(name in defaults) || value === undefined) {
      const known = Object.keys(defaults).map((option) => `--${option} ${option.toUpperCase()}`);
      throw new Refusal(`Unknown or incomplete option ${rest[index]}. Known: ${known.join(", ")}.`);
    }
    options[name] = value;
  }
  return options;
}

/**
 * @param {string | undefined} text
 * @returns {number}
 */
export function readPort(text) {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port < 65536) return port;
  throw new Refusal(`${text} is not a port: give a whole number from 0 to 65535.`);
}
