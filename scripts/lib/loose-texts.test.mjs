import { expect, test } from "vitest";
import { isCatalog, looseTexts } from "./loose-texts.mjs";

const textsOf = (/** @type {string} */ source, file = "Panel.tsx") =>
  looseTexts(file, source).map(({ line, text }) => `${line} ${text}`);

test("finds words in JSX, in attributes that users read, and in strings of prose", () => {
  const source = `
export function Panel({ pages, isOpen }) {
  const failure = \`The file has \${pages} bytes.\`;
  return (
    <section aria-label="Pages" className="three names here">
      Save <b>{pages}</b>
      <button title={isOpen ? "hide" : WORDS.show}>{isOpen && "more"}</button>
      {counted(pages, "page")}
    </section>
  );
}`;
  expect(textsOf(source)).toEqual([
    "3 The file has … bytes.",
    "5 Pages",
    "6 Save",
    "7 hide",
    "7 more",
    "8 page",
  ]);
});

test("finds no text in classes, keys, selectors, code, comparisons, imports and types", () => {
  const source = `
import { Panel } from "./Some panel of two";
type Kind = "One of these";
export const Row = ({ zone, event }: { kind: Kind }) => (
  <li className={isOpen ? "row is open now" : "row"} data-term="watermark check list">
    <Name k={\`zone \${zone}\`} />
    <code>echo three words here</code>
    {event.key === "Enter" && document.querySelector("button p span")}
  </li>
);`;
  expect(textsOf(source)).toEqual([]);
});

test("finds labels only in components and ignores names of the engine", () => {
  const source = 'const kinds = [choice("all", "Everything")];';
  expect(textsOf(source)).toEqual(["1 Everything"]);
  expect(textsOf(source, "kinds.ts")).toEqual([]);
});

test("finds the labels of a table of words", () => {
  expect(textsOf('const SIDE_WORDS = { a: "left", b: "right" };')).toEqual(["1 left", "1 right"]);
});

test("accepts a line with a comment that says why its string is not a text", () => {
  expect(textsOf('const kind = "Movable"; // not a text: a name of the engine')).toEqual([]);
});

test("recognizes catalogs by their file names", () => {
  expect(["web/src/log/words.ts", "web/src/stage/cpu-words.ts"].every(isCatalog)).toBe(true);
  expect(["web/src/log/use-words.tsx", "web/src/log/passwords.ts"].some(isCatalog)).toBe(false);
});
