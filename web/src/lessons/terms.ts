// Finds glossary terms in the prose of a lesson and marks their first occurrences, so that the page
// can explain them there. This happens at build time, and when the lesson of a folder is opened.

/** The fields of a glossary entry that are used. */
export interface Entry {
  readonly id: string;
  readonly names: readonly string[];
}

/** The fields of a Markdown node that are used. */
interface Node {
  readonly type: string;
  readonly name?: string | null;
  value?: string;
  children?: Node[];
  position?: unknown;
  data?: unknown;
}

/** The type of a node that marks a term. */
export const TERM_TYPE = "term" as const;
/** The element that it becomes, and the attribute that names the entry. */
export const TERM_TAG = "dfn";
export const TERM_ATTRIBUTE = "data-term";

/** Names that are also plain English; by themselves they may have another meaning. */
const PLAIN = new Set([
  ...["active", "balancing", "buddy", "clean", "CPU", "era", "exchange", "fault", "flip"],
  ...["free page", "gate", "imbalance", "inactive", "load", "local", "LRU", "mark", "order"],
  ...["page", "pass", "remote", "reserve", "reserved", "scan", "scanner", "slot", "steal"],
  ...["target", "throttled", "tick"],
]);

/** Patterns for plain English terms, which match only where the term is meant. */
const FORMS: Readonly<Record<string, string>> = {
  "active-list": "active(?= (?:file |anonymous )?(?:list|page))",
  "inactive-list": "inactive(?= (?:file |anonymous )?(?:list|page))",
  "lru-list": "LRU",
  order: "orders?(?=[ -](?:\\d|n\\b))",
  page: "[Pp]ages?(?! (?:cache|fault|frame|table))",
  scanner: "(?:migrate|free) scanner",
  throttled: "throttled(?= (?:task|writer|reclaimer|program))|(?:is|are|was|were) throttled",
  watermark: "(?:min|low|high) mark",
};

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** A pattern for a name in the singular and the plural, also at the start of a sentence. */
function formOf(name: string): string {
  const [first = "", rest] = [name.charAt(0), name.slice(1)];
  const begun = /[a-z]/.test(first) ? `[${first}${first.toUpperCase()}]` : escaped(first);
  const plural = rest.endsWith("y") ? `${escaped(rest.slice(0, -1))}(?:y|ies)` : `${escaped(rest)}`;
  return `${begun}${plural}(?:s|es)?`;
}

/** A pattern for a term; null if all of its names are plain English. */
function patternOf({ id, names }: Entry): RegExp | null {
  const forms = names.filter((name) => !PLAIN.has(name)).map(formOf);
  const own = FORMS[id];
  const all = own === undefined ? forms : [...forms, own];
  if (all.length === 0) return null;
  return new RegExp(`(?<![\\w-])(?:${all.join("|")})(?![\\w-])`);
}

/** Nodes in which nothing is marked: links, code and headings. */
const LEFT_ALONE = /^(?:link|linkReference|heading|inlineCode|code|mdx.*)$/;

const isOpen = ({ type, name }: Node) => name === "Step" || !LEFT_ALONE.test(type);

/** The first term in a text; of several at the same position, the longest. */
function firstIn(text: string, open: ReadonlyMap<string, RegExp>) {
  let first: { id: string; at: number; words: string } | null = null;
  for (const [id, pattern] of open) {
    const found = pattern.exec(text);
    if (!found) continue;
    const [words] = found;
    const isNearer = !first || found.index < first.at;
    const isLonger = first?.at === found.index && words.length > first.words.length;
    if (isNearer || isLonger) first = { id, at: found.index, words };
  }
  return first;
}

const textOf = (value: string): Node[] => (value === "" ? [] : [{ type: "text", value }]);

/** Splits a text into nodes, with first occurrences of terms marked. */
function pieces(text: string, open: Map<string, RegExp>): Node[] {
  const found = firstIn(text, open);
  if (!found) return textOf(text);
  const { id, at, words } = found;
  open.delete(id);
  const term: Node = {
    type: TERM_TYPE,
    children: textOf(words),
    data: { hName: TERM_TAG, hProperties: { [TERM_ATTRIBUTE]: id } },
  };
  return [...textOf(text.slice(0, at)), term, ...pieces(text.slice(at + words.length), open)];
}

function markIn(node: Node, open: Map<string, RegExp>): void {
  if (!node.children) return;
  node.children = node.children.flatMap((child) => {
    if (child.type === "text") return pieces(child.value ?? "", open);
    if (isOpen(child)) markIn(child, open);
    return [child];
  });
}

/** Marks the first occurrence of each term in the prose. */
export function markTerms(tree: object, entries: readonly Entry[]): void {
  const open = new Map<string, RegExp>();
  for (const entry of entries) {
    const pattern = patternOf(entry);
    if (pattern) open.set(entry.id, pattern);
  }
  markIn(tree as Node, open);
}
