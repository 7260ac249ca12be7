import { Fragment, type ReactNode } from "react";
import { count } from "../../engine/format";
import { numberIn, piecesOf, type Read } from "../../lessons/readings";

/** A text whose placeholders are filled with readings, in bold. */
export function Filled({ text, read }: { text: string; read: Read }): ReactNode {
  return piecesOf(text).map((piece, i) =>
    piece.kind === "words" ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the text never changes its order
      <Fragment key={i}>{piece.words}</Fragment>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the text never changes its order
      <b key={i}>{numberIn(piece, read, count)}</b>
    ),
  );
}
