// Shortens external texts to a readable length.

import { count } from "./format";

/** The maximum number of characters of a quoted name. */
const NAME = 60;
/** The maximum number of characters of a path. */
const PATH = 120;
/** The maximum number of characters of a word in a sentence. */
const WORD = 120;
/**
 * The maximum number of characters of a sentence; a list of all known names has about half as many.
 */
const SENTENCE = 2000;

/** Omits the middle of a text that has more characters than `most`. */
export function shortened(text: string, most = NAME): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  // Does not split a character that consists of two code units.
  const begin = text.slice(0, half).replace(/[\uD800-\uDBFF]$/, "");
  const end = text.slice(-half).replace(/^[\uDC00-\uDFFF]/, "");
  const leftOut = count(text.length - begin.length - end.length);
  return `${begin}… (${leftOut} characters left out) …${end}`;
}

/** A field's path, short enough to show. */
export const shortPath = (path: string): string => shortened(path, PATH);

/** A sentence that quotes its subject: limits each word, and the whole sentence. */
export function shortSentence(words: string): string {
  if (words.length <= WORD) return words;
  const short = words.split(" ").map((word) => shortened(word, WORD));
  return shortened(short.join(" "), SENTENCE);
}
