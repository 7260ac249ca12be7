// The run on the home page.

/** The experiment; the page shows its first watermark crossing. */
export const GREETING = "streaming-reader.teach";
/** Its length: memory is full after 47 s, and a shorter run loads sooner. */
const LENGTH = "120s";

/** The JSON text of the experiment. */
export function greetingText(presets: Readonly<Record<string, string>>): string | null {
  const preset = presets[GREETING];
  return preset ? JSON.stringify({ ...JSON.parse(preset), id: "", length: LENGTH }) : null;
}
