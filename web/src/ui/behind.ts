// What the first figure does not need is fetched behind it.

/** How long it is waited for; where no engine comes, the rest shows all the same, ms. */
const PATIENCE_MS = 3000;

let tell = () => {};
const figure = new Promise<void>((resolve) => {
  tell = resolve;
});

/** A machine has been drawn: the first figure of whatever page this is. */
export const figureStands = (): void => tell();

/** Fetches something once the first figure stands, or is not going to. */
export async function behindFigure<T>(fetch: () => Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS);
  });
  await Promise.race([figure, patience]);
  clearTimeout(timer);
  return fetch();
}
