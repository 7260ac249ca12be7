// The terms marked in a prose are those of the glossary, each at its first occurrence.

import { ENTRIES } from "virtual:glossary";
import remarkMdx from "remark-mdx";
import remarkParse from "remark-parse";
import { unified } from "unified";
import { expect, test } from "vitest";
import { markTerms, TERM_ATTRIBUTE, TERM_TYPE } from "./terms";

interface Node {
  readonly type: string;
  readonly value?: string;
  readonly children?: readonly Node[];
  readonly data?: { readonly hProperties: Readonly<Record<string, string>> };
}

const textOf = ({ value, children = [] }: Node): string => value ?? children.map(textOf).join("");
const within = (node: Node): readonly Node[] => [node, ...(node.children ?? []).flatMap(within)];

/** The marked terms of a prose: the words, and the glossary entry. */
function marked(prose: string): readonly (readonly [string, string])[] {
  const tree = unified().use(remarkParse).use(remarkMdx).parse(prose);
  markTerms(tree, ENTRIES);
  return within(tree as unknown as Node)
    .filter(({ type }) => type === TERM_TYPE)
    .map((node) => [textOf(node), node.data?.hProperties[TERM_ATTRIBUTE] ?? ""]);
}

test("marks a term once, at its first occurrence, singular or plural", () => {
  expect(marked("Two zones. A zone of zones.\n\nWatermarks, and a jiffy.")).toEqual([
    ["zones", "zone"],
    ["Watermarks", "watermark"],
    ["jiffy", "jiffy"],
  ]);
  expect(marked("100 jiffies")).toEqual([["jiffies", "jiffy"]]);
});

test("marks the longest of several terms that begin at the same word", () => {
  expect(marked("A page frame and a page.")).toEqual([
    ["page frame", "page-frame"],
    ["page", "page"],
  ]);
});

test("marks no terms in links, code, headings and buttons", () => {
  const prose = [
    "## A zone",
    '`zone` and [zone](#/) and <At scene="a">a zone</At>',
    '<Step id="b">\n\nthe **zone** itself\n\n</Step>',
  ];
  expect(marked(prose.join("\n\n"))).toEqual([["zone", "zone"]]);
});

test("marks words of plain English only where they are used as terms", () => {
  expect(marked("In this order, an active program can mark its target.")).toEqual([]);
  expect(marked("An order of 3, then order 3.")).toEqual([["order", "order"]]);
  expect(marked("It is on the active file list.")).toEqual([["active", "active-list"]]);
  expect(marked("At the low mark.")).toEqual([["low mark", "watermark"]]);
});

test("does not mark a part of a word", () => {
  expect(marked("A subzone, a node-like thing and CPUs.")).toEqual([]);
});

test("finds every entry by each of its names except plain English words", () => {
  const silent = ENTRIES.filter(
    ({ id, names }) => !marked(`${names.join(" and ")}.`).some(([, found]) => found === id),
  );
  // These words alone do not show whether a lesson means the term.
  expect(silent.map(({ id }) => id).sort()).toEqual(
    ["clean", "cpu", "era", "exchange", "flip", "free-page", "gate", "imbalance", "load"]
      .concat([
        "order",
        "pass",
        "reserved",
        "scan",
        "scanner",
        "steal",
        "target",
        "throttled",
        "tick",
      ])
      .sort(),
  );
});
