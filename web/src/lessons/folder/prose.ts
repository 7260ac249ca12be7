// A lesson's prose as a tree. The prose is Markdown with a few components whose attributes are
// plain strings. Nothing in it is executed, so any text can be read under the page's content
// policy.

import { ENTRIES } from "virtual:glossary";
import remarkMdx from "remark-mdx";
import remarkParse from "remark-parse";
import { unified } from "unified";
import { markTerms, TERM_ATTRIBUTE, TERM_TAG, TERM_TYPE } from "../terms";
import { type Fault, PROSE_FILE } from "./fault";
import { PROSE } from "./words";

/** A node of the tree. */
export type ProseNode = ProseElement | string;

/** A tag or component with its attributes. */
export interface ProseElement {
  /** An HTML tag in lower case, or a component's name. */
  readonly name: string;
  readonly props: Readonly<Record<string, string>>;
  readonly children: readonly ProseNode[];
  /** The line where it begins, from 1. */
  readonly line: number;
}

/** The components for lessons with their attributes; those with "?" are optional. */
export const COMPONENTS: Readonly<Record<string, readonly string[]>> = {
  Step: ["id"],
  At: ["scene"],
  Ask: ["id"],
  Marks: ["scene", "values"],
  Turn: ["scene", "knob", "values", "say?"],
  Seeds: ["of"],
  Construct: ["id"],
  Published: ["table", "rows"],
  Origin: [],
  Home: [],
};

/** HTML tags of Markdown syntax. */
const TAGS: Readonly<Record<string, string>> = {
  paragraph: "p",
  strong: "strong",
  emphasis: "em",
  inlineCode: "code",
  listItem: "li",
  blockquote: "blockquote",
  break: "br",
  thematicBreak: "hr",
};

const parser = unified().use(remarkParse).use(remarkMdx);
type Root = ReturnType<typeof parser.parse>;
/** A node that marks a term, made by `terms.ts`. */
interface MarkedTerm {
  type: typeof TERM_TYPE;
  children: Root["children"];
  position?: Root["position"];
  data: { hProperties: Record<string, string> };
}
type Parsed = Root["children"][number] | MarkedTerm;
type Jsx = Extract<Parsed, { type: "mdxJsxFlowElement" | "mdxJsxTextElement" }>;

/** Parses the prose; content that cannot be shown is an error and is left out of the tree. */
export function parseProse(text: string): {
  readonly tree: readonly ProseNode[];
  readonly faults: readonly Fault[];
} {
  const faults: Fault[] = [];
  const blame = (line: number | null, reason: string) =>
    void faults.push({ file: PROSE_FILE, line, reason });
  try {
    const root = parser.parse(text);
    markTerms(root, ENTRIES);
    return { tree: root.children.flatMap((node) => shaped(node, blame)), faults };
  } catch (error) {
    blame(lineOf(error), error instanceof Error ? error.message : String(error));
    return { tree: [], faults };
  }
}

type Blame = (line: number, reason: string) => void;

/** The line in a parser's error, from a field or from its text: "(1:1-1:17)". */
function lineOf(error: unknown): number | null {
  if (!(error instanceof Error)) return null;
  if ("line" in error && typeof error.line === "number") return error.line;
  const [, line] = /\((\d+):\d+(?:-\d+:\d+)?\)/.exec(error.message) ?? [];
  return line === undefined ? null : Number(line);
}

function shaped(node: Parsed, blame: Blame): ProseNode[] {
  const line = node.position?.start.line ?? 1;
  const made = (name: string, props: Record<string, string> = {}): ProseNode[] => [
    { name, props, children: childrenOf(node, blame), line },
  ];
  switch (node.type) {
    case "text":
      return [node.value];
    case "inlineCode":
      return [{ name: "code", props: {}, children: [node.value], line }];
    case "code":
      return [{ name: "pre", props: {}, children: [node.value], line }];
    case TERM_TYPE:
      return made(TERM_TAG, { [TERM_ATTRIBUTE]: node.data.hProperties[TERM_ATTRIBUTE] ?? "" });
    case "list":
      return made(node.ordered ? "ol" : "ul");
    case "heading":
      return made(`h${Math.max(3, node.depth)}`);
    case "link":
      return isSafe(node.url) ? made("a", { href: node.url }) : refused(line, node.url, blame);
    case "paragraph":
      // Components alone on a line do not form a paragraph.
      return isAlone(node.children) ? childrenOf(node, blame) : made("p");
    case "mdxJsxFlowElement":
    case "mdxJsxTextElement":
      return component(node, line, blame);
    default:
      return node.type in TAGS ? made(TAGS[node.type] ?? "p") : unknown(node.type, line, blame);
  }
}

const childrenOf = (node: Parsed, blame: Blame): ProseNode[] =>
  "children" in node
    ? node.children.flatMap((child) => {
        // The items of a tight list are lines, not paragraphs.
        const isLine = node.type === "listItem" && !node.spread && child.type === "paragraph";
        return isLine ? childrenOf(child, blame) : shaped(child, blame);
      })
    : [];

const isAlone = (children: readonly Parsed[]): boolean =>
  children.some(({ type }) => type === "mdxJsxTextElement") &&
  children.every(
    (child) =>
      child.type === "mdxJsxTextElement" || (child.type === "text" && child.value.trim() === ""),
  );

/** Links may lead to other sites or to anchors on this page. */
const isSafe = (url: string) => /^(https?:\/\/|#)/.test(url);

function refused(line: number, url: string, blame: Blame): [] {
  blame(line, PROSE.badLink(url));
  return [];
}

const UNKNOWN: Readonly<Record<string, string>> = {
  mdxjsEsm: PROSE.noImport,
  mdxFlowExpression: PROSE.noExpressions,
  mdxTextExpression: PROSE.noExpressions,
  image: PROSE.noImages,
};

function unknown(type: string, line: number, blame: Blame): [] {
  blame(line, UNKNOWN[type] ?? PROSE.notSupported(type));
  return [];
}

function component(node: Jsx, line: number, blame: Blame): ProseNode[] {
  const name = node.name ?? "";
  const known = Object.hasOwn(COMPONENTS, name) ? COMPONENTS[name] : undefined;
  const children = childrenOf(node, blame);
  if (!known) {
    const all = Object.keys(COMPONENTS).join(", ");
    blame(line, PROSE.noComponent(name, all));
    return children;
  }
  const props: Record<string, string> = {};
  for (const attribute of node.attributes) {
    if (attribute.type !== "mdxJsxAttribute" || typeof attribute.value !== "string") {
      const what = attribute.type === "mdxJsxAttribute" ? `"${attribute.name}"` : "{...}";
      blame(line, PROSE.notQuoted(what, name));
    } else if (!known.some((each) => each.replace("?", "") === attribute.name)) {
      blame(line, PROSE.noAttribute(name, attribute.name));
    } else {
      props[attribute.name] = attribute.value;
    }
  }
  for (const each of known) {
    const isGiven = node.attributes.some((a) => a.type === "mdxJsxAttribute" && a.name === each);
    if (!each.endsWith("?") && !isGiven) blame(line, `<${name}> needs ${each}="...".`);
  }
  return [{ name, props, children, line }];
}

/** All elements of a tree with a given name, in document order. */
export function elementsIn(tree: readonly ProseNode[], name: string): ProseElement[] {
  return tree.flatMap((node) => {
    if (typeof node === "string") return [];
    const within = elementsIn(node.children, name);
    return node.name === name ? [node, ...within] : within;
  });
}
