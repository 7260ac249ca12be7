// Texts about waiting for runs.

/** A waiting time in words, no more exact than the estimate. */
export function waitWords(seconds: number): string {
  if (seconds < 2) return "a second or two";
  if (seconds < 90) return `about ${Math.round(seconds / 5) * 5 || 5} seconds`;
  const minutes = seconds / 60;
  if (minutes < 10) return `about ${Math.round(minutes)} minutes`;
  if (minutes < 57.5) return `about ${Math.round(minutes / 5) * 5} minutes`;
  const halves = Math.round(minutes / 30);
  return halves === 2 ? "about an hour" : `about ${halves / 2} hours`;
}
