// Measures the compressed size of a visitor's downloads, and the part that comes before the first figure.

import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

/**
 * The pages where a visit may begin: the modules that each page loads, by their names in Vite's manifest,
 * and its workers, which are not in the manifest. Static imports of these are loaded too; dynamic imports
 * are not.
 */
const FIRST_FIGURES = {
  home: {
    modules: /^index\.html$|^src\/pages\/home\/HomePage\.tsx$/,
    workers: /\b(engine|reader)\.worker-/,
  },
  workbench: {
    modules: /^index\.html$|^src\/pages\/workbench\/Page\.tsx$/,
    workers: /\b(engine|reader)\.worker-/,
  },
  lesson: {
    // Of all lessons, only the open one is loaded: see `isOther`.
    modules: /^index\.html$|^src\/pages\/lesson\/LessonPage\.tsx$|\/lessons\//,
    workers: /\b(engine|reader|measure)\.worker-/,
  },
};

/**
 * @typedef {{ name: string, gzipped: number }} Download gzipped: bytes
 *
 * @typedef {Record<string, { file: string, imports?: string[], css?: string[] }>} Manifest
 *
 * @typedef {object} Sizes bytes
 * @property {Record<keyof typeof FIRST_FIGURES, number>} figures JS and CSS before each first figure
 * @property {number} later JS and CSS that no first figure needs
 * @property {number} engine the WebAssembly module
 * @property {number} texts the engine's texts, loaded beside it
 */

/** @param {string} file @returns {Download} */
export const download = (file) => ({
  name: file,
  gzipped: gzipSync(readFileSync(file), { level: 9 }).length,
});

/** @param {Manifest} manifest with all lessons */
const lessonsIn = (manifest) =>
  Object.keys(manifest).flatMap((module) => {
    const [, lesson] = /\/lessons\/([^/]+)\/index\.mdx$/.exec(module) ?? [];
    return lesson === undefined ? [] : [lesson];
  });

/**
 * Tests whether a module belongs only to another lesson. Tables may belong to any lesson.
 * @param {string} module
 * @param {string} lesson
 */
const isOther = (module, lesson) =>
  /\/lessons\//.test(module) && ![lesson, "figures"].some((own) => module.includes(`/${own}/`));

/**
 * The files of some modules and of all their static imports.
 * @param {Manifest} manifest
 * @param {RegExp} modules
 * @param {string} lesson the open lesson
 * @returns {Set<string>}
 */
function filesOf(manifest, modules, lesson) {
  const open = Object.keys(manifest).filter(
    (module) => modules.test(module) && !isOther(module, lesson),
  );
  if (open.length < 2) throw new Error(`Vite's manifest has no modules like ${modules}`);
  const seen = new Set(open);
  /** @type {Set<string>} */
  const files = new Set();
  for (let module = open.pop(); module !== undefined; module = open.pop()) {
    const { file, imports = [], css = [] } = manifest[module] ?? { file: "" };
    for (const each of [file, ...css]) files.add(each);
    for (const each of imports.filter((name) => !seen.has(name))) {
      seen.add(each);
      open.push(each);
    }
  }
  return files;
}

/**
 * @param {Download[]} downloads
 * @param {Manifest} manifest
 * @returns {Sizes}
 */
export function sizesOf(downloads, manifest) {
  const sum = (/** @type {(name: string) => boolean} */ isMeant) =>
    downloads.filter(({ name }) => isMeant(name)).reduce((all, { gzipped }) => all + gzipped, 0);
  const isText = (/** @type {string} */ name) => /\.(js|css)$/.test(name);
  const lessons = lessonsIn(manifest);
  const figures = Object.entries(FIRST_FIGURES).flatMap(([figure, { modules, workers }]) =>
    lessons.map((lesson) => {
      const files = [...filesOf(manifest, modules, lesson)];
      const isFirst = (/** @type {string} */ name) =>
        isText(name) && (files.some((file) => name.endsWith(file)) || workers.test(name));
      return /** @type {const} */ ([figure, isFirst]);
    }),
  );
  // The size of the largest lesson counts.
  const largest = (/** @type {string} */ figure) =>
    Math.max(...figures.filter(([each]) => each === figure).map(([, isFirst]) => sum(isFirst)));
  return {
    figures: /** @type {Sizes["figures"]} */ (
      Object.fromEntries(Object.keys(FIRST_FIGURES).map((figure) => [figure, largest(figure)]))
    ),
    later: sum((name) => isText(name) && !figures.some(([, isFirst]) => isFirst(name))),
    engine: sum((name) => name.endsWith(".wasm")),
    texts: sum((name) => /catalog[^/]*\.json$/.test(name)),
  };
}

/** Bytes in kB. */
export const kb = (/** @type {number} */ bytes) => `${(bytes / 1000).toFixed(1)} kB`;

/** @param {Sizes} sizes */
export const sizeWords = ({ figures, later, engine, texts }) =>
  `gzipped: JS and CSS before the first figure ${Object.entries(figures)
    .map(([figure, bytes]) => `${figure} ${kb(bytes)}`)
    .join(", ")}; ${kb(later)} later; engine ${kb(engine)}, its texts ${kb(texts)}`;
