// What a visitor downloads, compressed, and how much of it may come before the first figure.

import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

/**
 * Limits of what the first figure needs, kB. The engine's aim is 150, which it met until it
 * reclaimed memory (ARCHITECTURE.md, "Size"); until it does again, this keeps it from growing
 * unnoticed.
 */
const LIMITS = { page: 180, engine: 190 };

/**
 * @typedef {{ name: string, gzipped: number }} Download gzipped: bytes
 *
 * @typedef {object} Sizes bytes
 * @property {number} page JS and CSS: all of it, which is a little more than the first figure needs
 * @property {number} engine the module every visitor loads
 * @property {number} texts the engine's texts, loaded beside it by every visitor
 * @property {number} later modules loaded with a dialog
 */

/** @param {string} file @returns {Download} */
export const download = (file) => ({
  name: file,
  gzipped: gzipSync(readFileSync(file), { level: 9 }).length,
});

/** @param {Download[]} downloads @returns {Sizes} */
export function sizesOf(downloads) {
  const sum = (/** @type {(name: string) => boolean} */ isMeant) =>
    downloads.filter(({ name }) => isMeant(name)).reduce((all, { gzipped }) => all + gzipped, 0);
  const isLater = (/** @type {string} */ name) => /mmscope_procfs_bg[^/]*\.wasm$/.test(name);
  return {
    page: sum((name) => /\.(js|css)$/.test(name)),
    engine: sum((name) => name.endsWith(".wasm") && !isLater(name)),
    texts: sum((name) => /catalog[^/]*\.json$/.test(name)),
    later: sum(isLater),
  };
}

const kb = (/** @type {number} */ bytes) => `${(bytes / 1000).toFixed(1)} kB`;

/** @param {Sizes} sizes */
export const sizeWords = ({ page, engine, texts, later }) =>
  `gzipped: JS and CSS ${kb(page)}, engine ${kb(engine)} and its texts ${kb(texts)}, with the /proc dialogs ${kb(later)} more`;

/**
 * What is too big, and what to do about it.
 * @param {Sizes} sizes
 * @returns {string[]} sentences; none when all fits
 */
export function tooBig({ page, engine }) {
  const says = [];
  if (page > LIMITS.page * 1000) {
    says.push(
      `JS and CSS take ${kb(page)} gzipped, the limit is ${LIMITS.page} kB: load what the first ` +
        "figure does not need with React.lazy, as the dialogs are, or drop a dependency.",
    );
  }
  if (engine > LIMITS.engine * 1000) {
    says.push(
      `The engine takes ${kb(engine)} gzipped, the limit is ${LIMITS.engine} kB: see "Size" in ` +
        "ARCHITECTURE.md for what costs much, and move what the first figure does not need into " +
        "engine/wasm-procfs or a module like it.",
    );
  }
  return says;
}
