// Finds the terms of the glossary in the prose of a lesson. Each is marked where it first stands, so
// that the page can explain it there. The same is done when the page is built, and to the lesson of a
// folder when it is opened.

/** What is read of an entry of the glossary. */
export interface Entry {
  readonly id: string;
  readonly names: readonly string[];
}

/** What is read of a tree of Markdown. */
interface Node {
  readonly type: string;
  readonly name?: string | null;
  value?: string;
  children?: Node[];
  position?: unknown;
  data?: unknown;
}

/** A piece of the tree that stands for a term. */
export const TERM_TYPE = "term" as const;
/** The element it becomes, and the attribute that names the entry. */
export const TERM_TAG = "dfn";
export const TERM_ATTRIBUTE = "data-term";

/** Names that are plain English, too: where they stand alone they may mean something else. */
const PLAIN = new Set([
  ...["active", "balancing", "buddy", "clean", "CPU", "era", "exchange", "fault", "flip"],
  ...["free page", "gate", "imbalance", "inactive", "load", "local", "LRU", "mark", "order"],
  ...["page", "pass", "remote", "reserve", "reserved", "scan", "scanner", "slot", "steal"],
  ...["target", "throttled", "tick"],
]);

/** How a term that is plain English is written where it is meant. */
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

/** A name in the singular and in the plural; a sentence may begin with it. */
function formOf(name: string): string {
  const [first = "", rest] = [name.charAt(0), name.slice(1)];
  const begun = /[a-z]/.test(first) ? `[${first}${first.toUpperCase()}]` : escaped(first);
  const plural = rest.endsWith("y") ? `${escaped(rest.slice(0, -1))}(?:y|ies)` : `${escaped(rest)}`;
  return `${begun}${plural}(?:s|es)?`;
}

/** What finds a term; none where each of its names is plain English. */
function patternOf({ id, names }: Entry): RegExp | null {
  const forms = names.filter((name) => !PLAIN.has(name)).map(formOf);
  const own = FORMS[id];
  const all = own === undefined ? forms : [...forms, own];
  if (all.length === 0) return null;
  return new RegExp(`(?<![\\w-])(?:${all.join("|")})(?![\\w-])`);
}

/** In these nothing is marked: they are pressed, quoted, or a heading. */
const LEFT_ALONE = /^(?:link|linkReference|heading|inlineCode|code|mdx.*)$/;

const isOpen = ({ type, name }: Node) => name === "Step" || !LEFT_ALONE.test(type);

/** The first term in a text, and of several that begin there the longest. */
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

/** A text as pieces, with the terms it has first marked. */
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

/** Marks each term where it first stands in the prose. */
export function markTerms(tree: object, entries: readonly Entry[]): void {
  const open = new Map<string, RegExp>();
  for (const entry of entries) {
    const pattern = patternOf(entry);
    if (pattern) open.set(entry.id, pattern);
  }
  markIn(tree as Node, open);
}
