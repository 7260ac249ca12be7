/** The message of an error, which may come from another document. */
export function sentenceOf(error: unknown): string {
  const { message } = Object(error);
  return typeof message === "string" ? message : String(error);
}
