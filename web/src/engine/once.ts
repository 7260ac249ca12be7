/** Does something once for all who ask, while it is under way and after; when it fails the next who
 * asks has it tried again. */
export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let under: Promise<T> | undefined;
  return () => {
    under ??= work().catch((error: unknown) => {
      under = undefined;
      throw error;
    });
    return under;
  };
}
