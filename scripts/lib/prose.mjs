// A short list of phrases that make texts hard to read, each with a plain replacement. It covers documents,
// lessons and the strings of the page. Comments and test names are left to reviewers.

/**
 * @typedef {object} Rule
 * @property {RegExp} phrase
 * @property {string} instead what to write
 */

/** @type {readonly Rule[]} */
export const RULES = [
  { phrase: /\bheld against\b/i, instead: "compared with, checked against" },
  { phrase: /\bfreed by (who|that)\b/i, instead: "freed by direct reclaim" },
  { phrase: /\bof which the test counts\b/i, instead: "the watermark check counts ..." },
  { phrase: /\bmay not be used\b/i, instead: "say what happens: is skipped" },
  { phrase: /\b(is|are|was|were) told\b/i, instead: "say who says what to whom" },
  { phrase: /\btold of\b/i, instead: "said about, reported" },
  { phrase: /\bwhat of\b/i, instead: "which part of" },
  { phrase: /\bwho could tell\b/i, instead: "what would show a difference" },
  { phrase: /\b(is|are) nobody['’]s\b/i, instead: "name whose it is, or is not" },
  { phrase: /\b\d+ in a hundred\b/i, instead: "percent" },
  { phrase: /\bwith other luck\b/i, instead: "with another random seed" },
  { phrase: /\bthrow(s|n|ing)? out\b|\bthrew out\b/i, instead: "evict" },
  { phrase: /\bgo(es)? on with\b/i, instead: "continues with" },
  { phrase: /\bcomes? to nothing\b/i, instead: "fails, has no effect" },
  { phrase: /\bwhat is wanted\b/i, instead: "the request" },
  { phrase: /\b(it|that) is what\b.{0,40}\b(it|that) is not\b/i, instead: "one plain statement" },
];

/** The readable text of a string or a document, with the line on which it begins. */
const STRINGS = /"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|>[^<>{}]+</g;

/**
 * Replaces all characters except line breaks, so that line numbers stay the same. @param {string}
 * text
 */
const blank = (text) => text.replace(/[^\n]/g, " ");

/**
 * The part of a file that users read.
 * @param {string} file the file name, which determines the kind of text
 * @param {string} source
 * @returns {string} text with the same line numbers
 */
function readable(file, source) {
  if (/\.(md|mdx|json)$/.test(file)) {
    return source.replace(/^ {4}.*$|^```[\s\S]*?^```|`[^`\n]*`/gm, blank);
  }
  const code = source.replace(/\/\*[\s\S]*?\*\/|(^|\s)\/\/[^\n]*/g, blank);
  let out = "";
  let end = 0;
  for (const { 0: text, index } of code.matchAll(STRINGS)) {
    out += blank(code.slice(end, index)) + text;
    end = index + text.length;
  }
  return out + blank(code.slice(end));
}

/**
 * Each phrase of the list in a file, as "file:line phrase: what to write".
 * @param {string} file
 * @param {string} source
 * @returns {string[]}
 */
export function phrases(file, source) {
  const lines = readable(file, source).split("\n");
  return lines.flatMap((line, i) =>
    RULES.flatMap(({ phrase, instead }) => {
      const found = phrase.exec(line);
      return found ? [`${file}:${i + 1} "${found[0]}": write ${instead}`] : [];
    }),
  );
}
