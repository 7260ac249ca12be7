// The QR code of an address, as one path of an SVG: a module is one unit.

import { encode } from "uqr";

/** The quiet zone that readers need around a code, in modules. */
const QUIET = 4;

/** A code, ready for drawing. */
export interface QrCode {
  /** Width and height including the quiet zone, in modules. */
  readonly size: number;
  readonly path: string;
}

/** Makes the code of a text. Paper may be creased, so a seventh of the code may be damaged. */
export function qrOf(text: string): QrCode {
  const { size, data } = encode(text, { ecc: "M", border: QUIET });
  const runs = data.flatMap((row, y) =>
    rowRuns(row).map(([x, width]) => `M${x} ${y}h${width}v1h-${width}z`),
  );
  return { size, path: runs.join("") };
}

/** The dark runs of a row, each with its start and width. */
function rowRuns(row: readonly boolean[]): [x: number, width: number][] {
  const runs: [number, number][] = [];
  for (const [x, isDark] of row.entries()) {
    const last = runs.at(-1);
    if (!isDark) continue;
    if (last && last[0] + last[1] === x) last[1] += 1;
    else runs.push([x, 1]);
  }
  return runs;
}
