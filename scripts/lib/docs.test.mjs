// Documents: their links lead to files, and the index of decisions repeats the titles of the pages.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** Pages of a folder and its subfolders. @param {string} folder @returns {string[]} */
function pagesOf(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) {
      return ["node_modules", "target", "dist", "pkg"].includes(entry.name) ||
        entry.name.startsWith(".")
        ? []
        : pagesOf(path);
    }
    return entry.name.endsWith(".md") ? [path] : [];
  });
}

const pages = pagesOf(".");

/** The text of a page without its code blocks. @param {string} page @returns {string} */
function textOf(page) {
  return readFileSync(join(root, page), "utf8").replace(/^ {4}.*$|^```[\s\S]*?^```/gm, "");
}

/** The targets of a page's links inside the project. @param {string} page @returns {string[]} */
function links(page) {
  const found = [...textOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, to]) => String(to));
  return found.filter((to) => !/^([a-z]+:|#)/.test(to)).map((to) => to.split("#")[0] ?? "");
}

test("finds all documents", () => {
  expect(pages).toContain("README.md");
  expect(pages).toContain("docs/decisions/README.md");
  expect(pages.flatMap(links).length).toBeGreaterThan(60);
});

test("every relative link leads to an existing file", () => {
  const broken = pages.flatMap((page) =>
    links(page)
      .filter((to) => !existsSync(join(root, dirname(page), to)))
      .map((to) => `${page}: ${to}`),
  );
  expect(broken).toEqual([]);
});

test("every page of docs that a document mentions exists", () => {
  const missing = pages.flatMap((page) =>
    [...textOf(page).matchAll(/`(docs\/[\w./-]+\.md)`/g)]
      .map(([, named]) => String(named))
      .filter((named) => !existsSync(join(root, named)))
      .map((named) => `${page}: ${named}`),
  );
  expect(missing).toEqual([]);
});

test("the index of decisions lists every page in order with its title", () => {
  const folder = join(root, "docs", "decisions");
  const files = readdirSync(folder)
    .filter((name) => /^\d/.test(name))
    .sort();
  const titled = files.map((file) => {
    const [, number, title] =
      /^# (\d+)\. (.+)$/m.exec(readFileSync(join(folder, file), "utf8")) ?? [];
    expect(Number(number), file).toBe(Number.parseInt(file, 10));
    return `- [${number}](${file}) ${title}`;
  });
  const index = readFileSync(join(folder, "README.md"), "utf8");
  expect(index.split("\n").filter((line) => line.startsWith("- ["))).toEqual(titled);
});
