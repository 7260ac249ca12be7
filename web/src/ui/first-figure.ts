// Fetches whatever the first figure does not need after that figure is drawn.

/** How long to wait for the figure, ms. If no engine starts, the rest loads all the same. */
const PATIENCE_MS = 3000;

let resolveFigure = () => {};
const figure = new Promise<void>((resolve) => {
  resolveFigure = resolve;
});

/** Called when a machine has been drawn, which is the first figure of any page. */
export const firstFigureDrawn = (): void => resolveFigure();

/** Fetches something after the first figure is drawn, or when the wait for it ends. */
export async function afterFirstFigure<T>(fetch: () => Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS);
  });
  await Promise.race([figure, patience]);
  clearTimeout(timer);
  return fetch();
}
