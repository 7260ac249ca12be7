// The height a person gave the timeline, remembered where storage allows it. It is this browser's
// and in no link: what fits is for the window to say (`stage/room`), now and in a larger one later.

const KEY = "mmscope.timeline";

/** The remembered height, px; none where there is none, or nothing that could be one. */
export function keptHeight(): number | undefined {
  try {
    const px = Number(localStorage.getItem(KEY));
    return px > 0 && px < 1e5 ? px : undefined;
  } catch {
    // Without storage the window decides.
    return undefined;
  }
}

/** Remembers a height, px; null gives it back to the window. */
export function keepHeight(px: number | null): void {
  try {
    if (px === null) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, String(px));
  } catch {
    // The height then lasts as long as the page.
  }
}
