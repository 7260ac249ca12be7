import { expect, test } from "vitest";
import { unusedTexts } from "./unused-texts.mjs";

const CATALOG = `export const PANEL = {
  title: "Panel",
  rest: (n: number) => \`\${n} more\`,
  old: "No longer shown",
} as const;
export const TITLE = "A text of its own";
`;

const unused = (/** @type {string[]} */ ...sources) =>
  unusedTexts("words.ts", CATALOG, sources).map(({ line, name }) => `${line} ${name}`);

test("finds the members of a catalog that no file names", () => {
  const source = `import { PANEL } from "./words";
export const Panel = () => <h2>{PANEL.title}{PANEL.rest(2)}</h2>;`;
  expect(unused(source)).toEqual(["4 PANEL.old"]);
  expect(unused()).toEqual(["2 PANEL.title", "3 PANEL.rest", "4 PANEL.old"]);
});

test("a file that does not know the catalog uses none of its members", () => {
  expect(unused(`export const old = OTHER.title + OTHER.rest;`)).toHaveLength(3);
});

test("a member is in use if it is taken apart, picked by a value, or passed on", () => {
  const head = `import { PANEL as WORDS } from "./words";\n`;
  expect(unused(`${head}const { title, rest, old } = WORDS;`)).toEqual([]);
  expect(unused(`${head}const text = WORDS[kind];`)).toEqual([]);
  expect(unused(`import * as words from "./words";\nconst text = words.PANEL[kind];`)).toEqual([]);
  expect(unused(`${head}show(WORDS);`)).toEqual([]);
  expect(unused(`${head}show(WORDS.title);`)).toEqual(["3 PANEL.rest", "4 PANEL.old"]);
});
