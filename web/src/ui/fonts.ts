// Fonts are waited for a moment before the first text is shown in them, so that no line breaks anew
// under a reader's eyes; who has a slow line reads in the system's fonts until they are there.

/** Fonts on a usual line are there by then, ms. */
const PATIENCE_MS = 300;

/** Settles when these fonts (as CSS names them) are there, or not soon enough. Never fails. */
export async function fontsThere(...fonts: readonly string[]): Promise<void> {
  // Only browsers have them.
  if (!("fonts" in document)) return;
  const loaded = Promise.allSettled(fonts.map((font) => document.fonts.load(font)));
  await Promise.race([loaded, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
}
