// The rules behind scripts/borders.mjs. A rule is one pattern, where it counts, and why.

/**
 * @typedef {{ path: string, line: number, isWarning: boolean, says: string }} Finding
 *
 * @typedef {object} Rule
 * @property {RegExp} files the paths it is about
 * @property {RegExp} [except] paths it is not about
 * @property {RegExp} pattern tried on each line
 * @property {string} says
 * @property {boolean} [isAboutCode] comments are taken away first
 */

const SOURCE = /\.(rs|ts|tsx|mjs|css|html|mdx|md|json|jsonc|toml|sh)$/;
const BORDERS_THEMSELVES = /^scripts\/lib\/borders\b/;
const MM = /^engine\/(facts|mm|picture)\/src\/.*\.rs$/;
const PAGE = /^(web|lessons)\/.*\.(ts|tsx|mdx)$/;
/** What each crate of the engine may depend on: no clock, no I/O, no randomness but its own. */
const OUTSIDE = ["serde", "serde_json", "serde_path_to_error", "tsify", "wasm-bindgen"];
/** @type {Record<string, string[]>} */
const DEPENDENCIES = {
  facts: [...OUTSIDE, "state-derive"],
  mm: [...OUTSIDE, "facts"],
  picture: [...OUTSIDE, "facts", "mm"],
  wasm: ["serde", "tsify", "wasm-bindgen", "mm", "picture"],
  "wasm-first": ["mmscope-wasm"],
  "wasm-whole": ["mmscope-wasm", "mm"],
  "wasm-open": ["serde", "wasm-bindgen", "mm", "picture"],
  reports: ["mm", "picture"],
  "wasm-procfs": ["wasm-bindgen", "mm", "reports"],
};
/** The crates of the engine. */
export const ENGINE_CRATES = Object.keys(DEPENDENCIES);

const SECOND_LOOK_LINES = 400;
const SPLIT_LINES = 600;
const FUNCTION_LINES = 70;

/** An import of a module whose name matches. @param {string} name */
const importOf = (name) => new RegExp(`(from|import|import\\(|URL\\()\\s*["'](${name})["']`);

/** @type {Rule[]} */
const RULES = [
  {
    files: /^web\/src\/draw\//,
    except: /\.test\.tsx?$/,
    pattern: importOf("react(-dom)?(/[^\"']*)?|zustand[^\"']*|[^\"']*/store[^\"']*"),
    says: "web/src/draw takes data and gives paths or pixels: no React, no store",
  },
  {
    files: PAGE,
    except: /^web\/src\/engine\//,
    pattern: importOf("[^\"']*engine/(pkg/|[^\"']*worker)[^\"']*"),
    says: "only web/src/engine talks to the worker and the generated package",
  },
  {
    files: MM,
    pattern: /\bstd::(time|fs|io|thread|net|env|process)\b/,
    isAboutCode: true,
    says: "the engine has no clock, no I/O and no threads",
  },
  {
    files: MM,
    pattern: /\bHash(Map|Set)\b/,
    isAboutCode: true,
    says: "hash maps have no order: use BTreeMap or an array indexed by a newtype",
  },
  {
    files: MM,
    // A serializer must name them, to refuse them.
    except: /^engine\/facts\/src\/json\/write\.rs$/,
    pattern: /\bf(32|64)\b/,
    isAboutCode: true,
    says: "no floating point in the engine: runs must be equal everywhere",
  },
  {
    files: /^engine\/wasm\/src\//,
    pattern: /\b(experiment::|Experiment\b|json::parse|read::)/,
    isAboutCode: true,
    says: "the module of the first figure reads no experiments: that is engine/wasm-open's",
  },
  { files: /\.rs$/, pattern: /\bdbg!/, isAboutCode: true, says: "left over: dbg!" },
  {
    files: /^(web|lessons)\/.*\.(ts|tsx|mdx)$/,
    pattern: /\bconsole\.(log|debug)\b/,
    says: "left over: console.log",
  },
  {
    files: /^(web|e2e|scripts|lessons)\//,
    pattern: /\b(test|it|describe)\.only\(/,
    says: "left over: .only runs this test and no other",
  },
  {
    files: SOURCE,
    except: /^package-lock\.json$/,
    pattern: /\b(TODO|FIXME|XXX)\b/,
    says: "left over: do it, or say plainly what is missing",
  },
  {
    files: SOURCE,
    pattern: /(^|[\s"'`(=])\/(work|farm|home)\/\w/,
    says: "a path of one machine",
  },
  {
    files: /^package-lock\.json$/,
    pattern: /"resolved": "http/,
    says: "a download address: .npmrc keeps them out of the lock file, run `npm install` again",
  },
];

/**
 * @param {string} path from the project's root, with /
 * @param {() => string} read
 * @returns {Finding[]}
 */
export function findingsIn(path, read) {
  if (!SOURCE.test(path) || BORDERS_THEMSELVES.test(path)) return [];
  const lines = read().split("\n");
  return [...brokenRules(path, lines), ...tooLong(path, lines), ...longFunctions(path, lines)];
}

/**
 * @param {string} path
 * @param {string[]} lines
 * @returns {Finding[]}
 */
function brokenRules(path, lines) {
  const rules = RULES.filter(({ files, except }) => files.test(path) && !except?.test(path));
  return lines.flatMap((text, index) => {
    const code = text.replace(/\/\/.*$/, "");
    const broken = rules.filter(({ pattern, isAboutCode }) =>
      pattern.test(isAboutCode ? code : text),
    );
    return broken.map(({ says }) => ({ path, line: index + 1, isWarning: false, says }));
  });
}

/**
 * @param {string} path
 * @param {string[]} lines
 * @returns {Finding[]}
 */
function tooLong(path, lines) {
  const line = lines.length;
  if (!/\.(rs|ts|tsx|mjs|css)$/.test(path) || line <= SECOND_LOOK_LINES) return [];
  const asks = line > SPLIT_LINES ? "a split" : "a second look";
  return [{ path, line, isWarning: true, says: `${line} lines ask for ${asks}` }];
}

/**
 * Finds long functions by their indentation, which the formatter guarantees.
 * @param {string} path
 * @param {string[]} lines
 * @returns {Finding[]}
 */
function longFunctions(path, lines) {
  if (!/\.(rs|ts|tsx|mjs)$/.test(path)) return [];
  const isRust = path.endsWith(".rs");
  const opening = isRust
    ? /^(\s*)(pub(\([^)]*\))? )?(const )?(unsafe )?fn (\w+)/
    : /^(\s*)(export )?(default )?(async )?(?:function\*? (\w+)|const (\w+) = (?:async )?\(.*=>\s*\{$)/;
  return lines.flatMap((text, index) => {
    const indent = opening.exec(text)?.[1];
    if (indent === undefined) return [];
    const length = lines.slice(index).findIndex((line) => line.startsWith(`${indent}}`)) + 1;
    if (length <= FUNCTION_LINES) return [];
    return [
      {
        path,
        line: index + 1,
        isWarning: true,
        says: `a function of ${length} lines; ${FUNCTION_LINES} fit a screen`,
      },
    ];
  });
}

/**
 * @param {string} crate one of {@link ENGINE_CRATES}
 * @param {string} path
 * @param {string} toml
 * @returns {Finding[]} one for each dependency that is not allowed
 */
export function dependenciesOf(crate, path, toml) {
  const allowed = DEPENDENCIES[crate] ?? [];
  let section = "";
  return toml.split("\n").flatMap((text, index) => {
    section = /^\s*\[([^\]]+)\]/.exec(text)?.[1] ?? section;
    const inline = /^(?:.*\.)?dependencies$/.test(section) && /^\s*([\w-]+)\s*[.=]/.exec(text)?.[1];
    const table = /^\s*\[(?:.*\.)?dependencies\.([\w-]+)\]/.exec(text)?.[1];
    const name = table ?? (inline || undefined);
    if (name === undefined || allowed.includes(name)) return [];
    return [
      { path, line: index + 1, isWarning: false, says: `${crate} may not depend on ${name}` },
    ];
  });
}
