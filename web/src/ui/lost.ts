// Pictures whose memory the browser took away and has not given back.

/** A browser that gives a lost picture back does so within this time, ms. */
const GIVEN_BACK_MS = 1500;

/** How each lost picture is made anew, by its canvas. */
const waiting = new Map<HTMLCanvasElement, () => void>();
let timer: ReturnType<typeof setTimeout> | undefined;
let tell: (isOverdue: boolean) => void = () => {};

/** A picture is lost; `renew` makes a new canvas for it. */
export function addLost(canvas: HTMLCanvasElement, renew: () => void) {
  waiting.set(canvas, renew);
  clearTimeout(timer);
  timer = setTimeout(() => tell(true), GIVEN_BACK_MS);
}

/** A picture came back, or is wanted no more. */
export function removeLost(canvas: HTMLCanvasElement) {
  waiting.delete(canvas);
  if (waiting.size > 0) return;
  clearTimeout(timer);
  tell(false);
}

/** Makes new canvases for all that are lost. */
export function renewLost() {
  for (const renew of waiting.values()) renew();
}

/** Tells the page's one listener whether there is a picture that does not come back. */
export function hearLost(listener: (isOverdue: boolean) => void) {
  tell = listener;
}
