// Texts that come from outside, no longer than can be read.

import { count } from "./format";

/** Most characters of a quoted name. */
const NAME = 60;
/** Most characters of a path. */
const PATH = 120;
/** Most characters of a word in a sentence. */
const WORD = 120;
/** Most characters of a sentence; a list of all known names has about a half of that. */
const SENTENCE = 2000;

/** A text whose middle is left out where it has more characters than `most`. */
export function shortened(text: string, most = NAME): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  // A character of two code units is not cut in two.
  const begin = text.slice(0, half).replace(/[\uD800-\uDBFF]$/, "");
  const end = text.slice(-half).replace(/^[\uDC00-\uDFFF]/, "");
  const leftOut = count(text.length - begin.length - end.length);
  return `${begin}… (${leftOut} characters left out) …${end}`;
}

/** A field's path as it is shown. */
export const shortPath = (path: string): string => shortened(path, PATH);

/** A sentence that quotes what it is about: no word of it is longer than can be read, nor all of it. */
export function shortSentence(words: string): string {
  if (words.length <= WORD) return words;
  const short = words.split(" ").map((word) => shortened(word, WORD));
  return shortened(short.join(" "), SENTENCE);
}
