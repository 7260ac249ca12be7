// The height that the user gave the timeline, stored if the browser allows it. It belongs to this
// browser and is not in links, because the window decides what fits (`stage/room`), now and at a
// larger size.

import { inBrowser } from "../stored";

const KEY = "mmscope.timeline";

/** The stored height, px; undefined without a valid one. */
export function storedHeight(): number | undefined {
  const px = Number(inBrowser.read(KEY));
  return px > 0 && px < 1e5 ? px : undefined;
}

/** Stores a height, px; null lets the window decide again. */
export function keepHeight(px: number | null): void {
  inBrowser.write(KEY, px === null ? null : String(px));
}
