// The run that greets a visitor.

/** The experiment whose first crossing of a mark it shows. */
export const GREETING = "streaming-reader.teach";
/** So much of it: memory is full after 47 s, and a shorter run is known sooner. */
const LENGTH = "120s";

/** Its text. */
export function greetingText(presets: Readonly<Record<string, string>>): string | null {
  const preset = presets[GREETING];
  return preset ? JSON.stringify({ ...JSON.parse(preset), id: "", length: LENGTH }) : null;
}
