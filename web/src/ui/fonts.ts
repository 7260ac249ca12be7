// Waits briefly for fonts before the first text is shown, so that lines do not break anew while
// somebody reads. On a slow connection the system's fonts show until the fonts have loaded.

/** On a usual connection the fonts load within this time, ms. */
const PATIENCE_MS = 300;

/** Resolves when these fonts (named as in CSS) have loaded, or after a time-out. Never rejects. */
export async function fontsThere(...fonts: readonly string[]): Promise<void> {
  // Only browsers have `document.fonts`.
  if (!("fonts" in document)) return;
  const loaded = Promise.allSettled(fonts.map((font) => document.fonts.load(font)));
  await Promise.race([loaded, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
}
