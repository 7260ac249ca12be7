// Finds texts with a number that read wrong for some values: "1 faults", "1 page are". It reads the sentences
// of decisions in the engine, in which `{faults fault}` gives the right plural, and the texts of the page, in which
// `counted(faults, "fault")` does.

/** Nouns that texts count. */
const NOUNS =
  "pages|pageblocks|entries|faults|jiffies|requests|writes|reads|tasks|threads|processes|nodes|zones|blocks|frames|CPUs|slots|sectors|bytes|objects|mappings|rounds|runs|times|accesses|evictions|files|steps|events|kernels|rows|samples|seeds|minutes|moments|passes|patches|waits|figures|lines|counters|buddies|generations";
/** Up to two adjectives, then a noun in the plural. */
const PLURAL = new RegExp(
  `^ (?:(?!(?:at|by|for|from|in|of|on|only|to|with) )[a-z-]+ ){0,2}?(?:${NOUNS})\\b(?![=/])`,
);
/** Verbs that are right for one, or for many, but not for both. */
const VERB = /^ (?:is|are|was|were|has|have|does|do|wait|waits|need|needs)\b/;
const PLURAL_VERB = /^ (?:are|were|have)\b/;
/** An adjective or participle in the place of a verb. */
const NO_VERB =
  /^ (?:of \{\w+\} )?(?:dirty|idle|written|taken|reclaimed|scanned|isolated|marked|moved|freed|counted|checked|used|evicted)\b/;

/** The beginning of a clause. */
const CLAUSE = /(?:^|[.:;,] |, and )$/;

/** A decision: its fields with their kinds, then its sentence. */
const DECISION = /\w+ \{([^{}"]*)\}\s*(?:\w+\([^()]*\)\s*)?"((?:[^"\\\n]|\\.)*)";/g;
/** The end of a text after which a number is not the subject ("a pause of", "for page"), or is not 1 ("all"). */
const PART_OF =
  /\b(?:about|above|all|around|at|below|by|for|from|in|of|on|than|to|with|level|page|priority|region|tier) $/i;
/** "3 of" before a number: the subject is the first number. */
const SHARE = /\{\w+\} of $/;
const NUMBERS = new Set(["Count", "Jiffies"]);
const PLACEHOLDER = /\{(\w+)(?: ([^}]*))?\}/g;

/**
 * The kind of each field.
 * @param {string} fields
 * @returns {Map<string, string>}
 */
const kindsOf = (fields) =>
  new Map([...fields.matchAll(/(\w+): (\w+)/g)].map(([, field = "", kind = ""]) => [field, kind]));

/**
 * What is wrong with a number and the words around it, or null.
 * @param {string} before the text before the number
 * @param {string} after the text after it
 * @param {boolean} hasNoun true if the number already has a noun with the right plural
 * @returns {string | null}
 */
function fault(before, after, hasNoun) {
  if (!hasNoun && PLURAL.test(after)) return "wrong plural for 1";
  const isSubject = SHARE.test(before) || !PART_OF.test(before);
  return isSubject && (hasNoun ? VERB : PLURAL_VERB).test(after)
    ? "verb wrong for 1 or for many"
    : null;
}

/** True if a clause of a sentence begins with a number and has no verb. @type {typeof fault} */
const lacksVerb = (before, after, hasNoun) =>
  hasNoun && CLAUSE.test(before) && NO_VERB.test(after) ? "no verb" : null;

/** @typedef {{ index: number, text: string, wrong: string }} Found */

/**
 * Faults in the sentences of a Rust file's decisions.
 * @param {string} source
 * @returns {Found[]}
 */
function ofDecisions(source) {
  return [...source.matchAll(DECISION)].flatMap(({ 1: fields = "", 2: text = "", index }) => {
    const kinds = kindsOf(fields);
    return [...text.matchAll(PLACEHOLDER)].flatMap(
      ({ 0: whole, 1: field = "", 2: noun, index: at }) => {
        if (!NUMBERS.has(kinds.get(field) ?? "")) return [];
        const before = text.slice(0, at);
        const after = text.slice(at + whole.length);
        const hasNoun = noun !== undefined;
        const wrong = fault(before, after, hasNoun) ?? lacksVerb(before, after, hasNoun);
        return wrong ? [{ index, text: whole + after, wrong }] : [];
      },
    );
  });
}

/** The argument list of a call, which may contain templates: balanced braces, up to two levels deep. */
const ARGUMENTS = String.raw`\((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*?\)`;
/** A number in a text of the page: with its noun, or without. */
const WITH_NOUN = new RegExp(String.raw`\$\{(?:counted|pages|noun)${ARGUMENTS}\}`, "g");
const BARE = new RegExp(String.raw`\$\{(?:count|num)${ARGUMENTS}\}|(?<![$\w<])\{\w+\}`, "g");

/**
 * Faults in the texts of a TypeScript file. Labels of the page may lack a verb.
 * @param {string} source
 * @returns {Found[]}
 */
function ofTexts(source) {
  /** @type {(pattern: RegExp, hasNoun: boolean) => Found[]} */
  const found = (pattern, hasNoun) =>
    [...source.matchAll(pattern)].flatMap(({ 0: whole, index }) => {
      const end = index + whole.length;
      const after = source.slice(end, end + 60).split(/[`"\n]/)[0] ?? "";
      const wrong = fault(source.slice(Math.max(0, index - 40), index), after, hasNoun);
      return wrong ? [{ index, text: whole + after, wrong }] : [];
    });
  return [...found(WITH_NOUN, true), ...found(BARE, false)];
}

/**
 * Texts that read wrong for some numbers, as "file:line text: what is wrong".
 * @param {string} file
 * @param {string} source
 * @returns {string[]}
 */
export function disagreements(file, source) {
  const found = file.endsWith(".rs") ? ofDecisions(source) : ofTexts(source);
  return found.map(
    ({ index, text, wrong }) =>
      `${file}:${source.slice(0, index).split("\n").length} "${text}": ${wrong}`,
  );
}
