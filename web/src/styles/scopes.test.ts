// A folder's styles apply to its own elements only. A stylesheet loads when its part of the page first opens,
// and stays loaded. A wider rule would then change the style of other parts.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Container, parse, type Rule } from "postcss";
import { expect, test } from "vitest";

const SRC = fileURLToPath(new URL("..", import.meta.url));
/** The folder that all pages share, which loads first. */
const SHARED = "styles";

/**
 * Classes of one folder that other sheets may lay out, too: those of pages, and the shared styles.
 */
const OWNED: Readonly<Record<string, string>> = {
  workbench: "pages/workbench",
  top: "pages/workbench",
  trans: "pages/workbench",
  "lesson-page": "pages/lesson",
  prose: "pages/lesson",
  rail: "pages/lesson",
  report: "pages/report",
  explain: "debugger",
  "embed-part": "export",
  option: "experiment",
  corners: "stage",
  pageblocks: "stage",
  "zone-lines": "stage",
  "mem-nodes": "stage",
  fold: "timeline",
  ticker: "timeline",
  time: "timeline",
};

interface Selector {
  readonly folder: string;
  readonly where: string;
  readonly text: string;
  /** Classes that the element or one of its ancestors must have. */
  readonly classes: readonly string[];
  /** The classes of the first compound selector that has any. */
  readonly first: readonly string[];
}

/** Splits a text at a separator, except inside brackets. */
function split(text: string, separator: RegExp): string[] {
  const parts = [""];
  let depth = 0;
  for (const character of text) {
    if ("([".includes(character)) depth += 1;
    if (")]".includes(character)) depth -= 1;
    if (depth === 0 && separator.test(character)) parts.push("");
    else parts.push(`${parts.pop()}${character}`);
  }
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

/** The selectors of a rule, combined with those of the rules around it. */
function selectorsOf(rule: Rule): string[] {
  const own = split(rule.selector, /,/);
  let around: Container | undefined = rule.parent as Container | undefined;
  while (around && around.type !== "rule") around = around.parent as Container | undefined;
  if (!around) return own;
  return selectorsOf(around as Rule).flatMap((outer) =>
    own.map((text) => (text.includes("&") ? text.replaceAll("&", outer) : `${outer} ${text}`)),
  );
}

const classesIn = (text: string): string[] => {
  const bare = text.replace(/:not\([^)]*\)/g, "").replace(/"[^"]*"/g, "");
  return [...bare.matchAll(/\.([A-Za-z_][\w-]*)/g)].map(([, name = ""]) => name);
};

const folderOf = (file: string): string =>
  file
    .split("/")
    .slice(0, file.startsWith("pages/") ? 2 : 1)
    .join("/");

/** Every selector that sets a style. */
function read(file: string, css: string): Selector[] {
  const found: Selector[] = [];
  parse(css).walkRules((rule) => {
    const { parent } = rule;
    if (parent?.type === "atrule" && "name" in parent && parent.name.endsWith("keyframes")) return;
    if (!rule.nodes.some(({ type }) => type === "decl")) return;
    const where = `${file}:${rule.source?.start?.line}`;
    for (const text of selectorsOf(rule)) {
      const parts = split(text, /[\s>+~]/).map(classesIn);
      const first = parts.find((part) => part.length > 0) ?? [];
      found.push({ folder: folderOf(file), where, text, classes: parts.flat(), first });
    }
  });
  return found;
}

const ours = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => file.endsWith(".css"))
  .flatMap((file) => read(file, readFileSync(join(SRC, file), "utf8")));

/** Selectors of folders that match elements of other folders. */
function astray(selectors: readonly Selector[]): string[] {
  const folders = new Map<string, Set<string>>();
  for (const { folder, classes, first } of selectors) {
    // The shared styles may lay out a folder's part inside their own elements.
    for (const name of folder === SHARED ? first : classes) {
      folders.set(name, (folders.get(name) ?? new Set()).add(folder));
    }
  }
  const ownerOf = (name: string): string | undefined => {
    const [one, ...more] = folders.get(name) ?? [];
    return OWNED[name] ?? (more.length === 0 ? one : undefined);
  };
  return selectors
    .filter(({ folder }) => folder !== SHARED)
    .filter(({ folder, classes }) => !classes.some((name) => ownerOf(name) === folder))
    .map(({ where, text }) => `${where} ${text}`);
}

test("each selector in the style sheet of a folder contains a class of that folder alone", () => {
  expect(astray(ours)).toEqual([]);
});

test("finds a class that two folders style, a shared class and a bare element", () => {
  const shared = read("styles/base.css", ".btn { color: red } .card .plan { color: red }");
  const found = (report: string) =>
    astray([
      ...shared,
      ...read("debugger/a.css", ".look { .compared { color: red } } .look { color: red }"),
      ...read("pages/report/b.css", report),
    ]);
  expect(found(".plan { color: red }")).toEqual([]);
  expect(found(":where(.plan) .compared { color: red }")).toEqual([]);
  expect(found(".compared { color: red }")).toEqual(["pages/report/b.css:1 .compared"]);
  expect(found(".plan, .btn b { color: red }")).toEqual(["pages/report/b.css:1 .btn b"]);
  expect(found('[data-look="phone"] h1 { color: red }')).toHaveLength(1);
  expect(found(".compared:not(.plan) { color: red }")).toHaveLength(1);
});

test("each class in the list of owned classes is styled somewhere", () => {
  const all = new Set(ours.flatMap(({ classes }) => classes));
  expect(Object.keys(OWNED).filter((name) => !all.has(name))).toEqual([]);
});

test("no two sheets use the same animation name", () => {
  const names = readdirSync(SRC, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".css"))
    .flatMap((file) => {
      const css = readFileSync(join(SRC, file), "utf8");
      return [...css.matchAll(/@keyframes\s+([\w-]+)/g)].map(([, name]) => name);
    });
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
});
