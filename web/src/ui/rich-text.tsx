// Shows a text of a catalog that has elements in it. The text names them with tags, so that another language
// can place them elsewhere in the sentence.

import { Fragment, type ReactNode } from "react";

/** The elements of a text, by their tags: `<tag/>` is replaced, `<tag>words</tag>` is wrapped. */
export type RichParts = Readonly<Record<string, ReactNode | ((words: string) => ReactNode)>>;

const TAG = /<(\w+)(?:\/>|>([^<]*)<\/\1>)/g;

/** A text with its elements. A tag without an element stays as it is, so that its absence is seen. */
export function RichText({ text, parts }: { text: string; parts: RichParts }) {
  const pieces: ReactNode[] = [];
  let end = 0;
  for (const { 0: tag, 1: name = "", 2: words, index } of text.matchAll(TAG)) {
    if (!(name in parts)) continue;
    const part = parts[name];
    pieces.push(text.slice(end, index), typeof part === "function" ? part(words ?? "") : part);
    end = index + tag.length;
  }
  pieces.push(text.slice(end));
  return (
    <>
      {pieces.map((piece, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a text is replaced as a whole
        <Fragment key={i}>{piece}</Fragment>
      ))}
    </>
  );
}
