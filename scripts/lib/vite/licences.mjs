// The page ships third-party work: dist/LICENSES.txt names every package, crate and font in it,
// with its licence. The tools that build the page list these parts: the bundler the modules, cargo
// the crates, the folder of fonts the fonts. An unknown licence fails the build.

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { engineDir, root } from "../project.mjs";

/**
 * Licences that require only their text, in our order of preference where a package offers several. The
 * pattern finds the licence's file where a package has several.
 * @type {Record<string, RegExp>}
 */
const KNOWN = {
  MIT: /mit/i,
  ISC: /isc/i,
  "BSD-2-Clause": /bsd/i,
  "BSD-3-Clause": /bsd/i,
  Zlib: /zlib/i,
  "Unicode-3.0": /unicode/i,
  "Apache-2.0": /apache/i,
};

/** The module that contains all Rust crates; our own crates need no notice. */
const TARGET = "wasm32-unknown-unknown";

/**
 * @typedef {object} Shipped
 * @property {string} name with its version
 * @property {string} licence from the package
 * @property {string} text
 */

/**
 * One package's licence.
 * @param {string} name with its version
 * @param {string | undefined} licence an SPDX expression
 * @param {string} folder where its licence file is
 * @returns {Shipped}
 */
export function shipped(name, licence = "none", folder) {
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying)/i.test(file));
  const texts = licence.split(" AND ").map((part) => {
    const choices = part.replace(/[()]/g, "").split(/ OR |\//);
    const chosen = Object.keys(KNOWN).find((known) =>
      choices.some((each) => each.trim() === known),
    );
    if (!chosen) throw new Error(`${name} has a licence that is not known here: ${licence}.`);
    const file = files.find((file) => KNOWN[chosen]?.test(file.slice(7))) ?? files.find(isPlain);
    if (!file) throw new Error(`${name} is shipped, but ${folder} has no text of its ${chosen}.`);
    return ownText(join(folder, file));
  });
  return { name, licence, text: [...new Set(texts)].join("\n\n") };
}

/** The name of a file that has the whole licence. */
const isPlain = (/** @type {string} */ file) => /^(licen[cs]e|copying)(\.(md|txt))?$/i.test(file);

/** A licence file without the licences of parts that its package bundles. */
const ownText = (/** @type {string} */ file) =>
  (readFileSync(file, "utf8").split(/^# Licenses of bundled dependencies/m)[0] ?? "").trim();

/**
 * The folder of the package that a bundled module belongs to; null for our own.
 * @param {string} id as the bundler names it; a module that a tool adds begins with a NUL
 * @param {string} [from] the project's folder
 */
export function packageOf(id, from = root) {
  const path = id.startsWith("\0") ? join(from, "node_modules", id.slice(1)) : id;
  const [, folder] = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/?]+)/.exec(path) ?? [];
  return folder && existsSync(join(folder, "package.json")) ? folder : null;
}

/** @param {Iterable<string>} folders of npm packages */
const npmPackages = (folders) =>
  [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(
      readFileSync(join(folder, "package.json"), "utf8"),
    );
    return shipped(`${name} ${version}`, license, folder);
  });

/**
 * The crates that are compiled into the page's modules: run-time dependencies, without build
 * dependencies.
 * @param {{ packages: any[], resolve: { nodes: any[] } }} metadata the output of cargo
 */
export function cratesIn({ packages, resolve }) {
  const byId = new Map(packages.map((each) => [each.id, each]));
  const nodes = new Map(resolve.nodes.map((each) => [each.id, each]));
  const isA = (/** @type {any} */ each, /** @type {string} */ kind) =>
    each.targets.some((/** @type {any} */ target) => target.kind.includes(kind));
  const queue = packages.filter((each) => isA(each, "cdylib")).map((each) => each.id);
  const found = new Set(queue);
  for (const id of queue)
    for (const { pkg, dep_kinds } of nodes.get(id).deps) {
      const runs = dep_kinds.some((/** @type {any} */ each) => each.kind === null);
      if (!runs || found.has(pkg) || isA(byId.get(pkg), "proc-macro")) continue;
      found.add(pkg);
      queue.push(pkg);
    }
  return queue.map((id) => byId.get(id)).filter((each) => each.source !== null);
}

function rustCrates() {
  const args = ["metadata", "--format-version=1", "--locked", `--filter-platform=${TARGET}`];
  const out = execFileSync("cargo", args, { cwd: engineDir, maxBuffer: 1 << 26 });
  return cratesIn(JSON.parse(out.toString())).map(({ name, version, license, manifest_path }) =>
    shipped(`${name} ${version}`, license, dirname(manifest_path)),
  );
}

/** The notices of Rust's standard library, from its toolchain. */
function rustLibrary() {
  const sysroot = execFileSync("rustc", ["--print", "sysroot"], { cwd: engineDir });
  const folder = join(sysroot.toString().trim(), "share", "doc", "rust");
  return readFileSync(join(folder, "COPYRIGHT-library.html"));
}

/** Fonts are in the same folder as their licence: OFL-plex.txt belongs to every plex-*.woff2. */
function fonts() {
  const folder = join(root, "web", "src", "styles", "fonts");
  const files = readdirSync(folder);
  return files.flatMap((file) => {
    const [, family] = /^OFL-(.*)\.txt$/.exec(file) ?? [];
    if (family === undefined) return [];
    const text = readFileSync(join(folder, file), "utf8").trim();
    const named = files.filter((font) => font.startsWith(family) && font.endsWith(".woff2"));
    return named.map((name) => ({ name, licence: "OFL-1.1", text }));
  });
}

/**
 * The text of dist/LICENSES.txt: each text once, below the names of all parts that have it.
 * @param {string} own our licence
 * @param {Shipped[]} all the parts of other authors
 */
export function licenceText(own, all) {
  /** @type {Map<string, string[]>} */
  const byText = new Map();
  for (const { name, licence, text } of all)
    byText.set(text, [...(byText.get(text) ?? []), `${name} (${licence})`]);
  const parts = [...byText].map(([text, names]) => `${names.sort().join("\n")}\n\n${text}`);
  return [
    `mmscope\n\n${own.trim()}`,
    "mmscope ships with the following works of others. Rust's standard library, MIT OR Apache-2.0, " +
      "is\nin its engine; its notices are in LICENSES-rust.html beside this file.",
    ...parts.sort(),
  ].join(`\n\n${"-".repeat(80)}\n\n`);
}

/**
 * Collects the bundled modules of the page and its workers, and writes the licences next to the
 * page.
 * @returns {{ collect: () => import("vite").Plugin, write: () => import("vite").Plugin }}
 */
export function licences() {
  /** @type {Set<string>} */
  const folders = new Set();
  /** @param {import("vite").Rolldown.OutputBundle} bundle */
  const note = (bundle) => {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== "chunk") continue;
      for (const id of chunk.moduleIds) {
        const folder = packageOf(id);
        if (folder) folders.add(folder);
      }
    }
  };
  return {
    collect: () => ({
      name: "mmscope:licences-collect",
      apply: "build",
      generateBundle: (_options, bundle) => note(bundle),
    }),
    write: () => ({
      name: "mmscope:licences",
      apply: "build",
      generateBundle(_options, bundle) {
        note(bundle);
        const own = readFileSync(join(root, "LICENSE"), "utf8");
        const all = [...npmPackages(folders), ...rustCrates(), ...fonts()];
        const source = `${licenceText(own, all)}\n`;
        this.emitFile({ type: "asset", fileName: "LICENSES.txt", source });
        this.emitFile({ type: "asset", fileName: "LICENSES-rust.html", source: rustLibrary() });
      },
    }),
  };
}
