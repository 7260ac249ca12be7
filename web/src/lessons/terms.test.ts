// Terms in the prose are those of the glossary, each marked where it first stands.

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

/** The terms marked in a prose: what is written, and the entry it stands for. */
function marked(prose: string): readonly (readonly [string, string])[] {
  const tree = unified().use(remarkParse).use(remarkMdx).parse(prose);
  markTerms(tree, ENTRIES);
  return within(tree as unknown as Node)
    .filter(({ type }) => type === TERM_TYPE)
    .map((node) => [textOf(node), node.data?.hProperties[TERM_ATTRIBUTE] ?? ""]);
}

test("a term is marked once, where it first stands, in the singular or the plural", () => {
  expect(marked("Two zones. A zone of zones.\n\nWatermarks, and a jiffy.")).toEqual([
    ["zones", "zone"],
    ["Watermarks", "watermark"],
    ["jiffy", "jiffy"],
  ]);
  expect(marked("100 jiffies")).toEqual([["jiffies", "jiffy"]]);
});

test("of terms that begin at one word the longest is marked", () => {
  expect(marked("A page frame and a page.")).toEqual([
    ["page frame", "page-frame"],
    ["page", "page"],
  ]);
});

test("links, code, headings and what is pressed are left alone", () => {
  const prose = [
    "## A zone",
    '`zone` and [zone](#/) and <At scene="a">a zone</At>',
    '<Step id="b">\n\nthe **zone** itself\n\n</Step>',
  ];
  expect(marked(prose.join("\n\n"))).toEqual([["zone", "zone"]]);
});

test("words of plain English are marked only where the term is meant", () => {
  expect(marked("In this order, an active program can mark its target.")).toEqual([]);
  expect(marked("An order of 3, then order 3.")).toEqual([["order", "order"]]);
  expect(marked("It is on the active file list.")).toEqual([["active", "active-list"]]);
  expect(marked("At the low mark.")).toEqual([["low mark", "watermark"]]);
});

test("a part of a word is no term", () => {
  expect(marked("A subzone, a node-like thing and CPUs.")).toEqual([]);
});

test("every entry is found by a name that is not plain English, or stands for itself alone", () => {
  const silent = ENTRIES.filter(
    ({ id, names }) => !marked(`${names.join(" and ")}.`).some(([, found]) => found === id),
  );
  // What these words mean in a lesson a reader cannot know from the word.
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
