// The height a person gave the timeline, remembered where storage allows it. It is this browser's
// and in no link: what fits is for the window to say (`stage/room`), now and in a larger one later.

import { inBrowser } from "../stored";

const KEY = "mmscope.timeline";

/** The remembered height, px; none where there is none, or nothing that could be one. */
export function keptHeight(): number | undefined {
  const px = Number(inBrowser.read(KEY));
  return px > 0 && px < 1e5 ? px : undefined;
}

/** Remembers a height, px; null gives it back to the window. */
export function keepHeight(px: number | null): void {
  inBrowser.write(KEY, px === null ? null : String(px));
}
