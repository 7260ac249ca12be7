// Pictures whose memory the browser took away and has not given back.

/** A browser that gives a lost picture back does so within this time, ms. */
const GIVEN_BACK_MS = 1500;

/** How a lost picture is made anew, by its canvas. */
const waiting = new Map<HTMLCanvasElement, () => void>();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setTimeout> | undefined;
/** They have been waited for long enough. */
let isOverdue = false;

function tell(isNow: boolean) {
  clearTimeout(timer);
  isOverdue = isNow;
  for (const listener of listeners) listener();
}

/** The lost pictures of the page. */
export const lost = {
  /** A picture is lost; `renew` makes a new canvas for it. */
  add(canvas: HTMLCanvasElement, renew: () => void) {
    waiting.set(canvas, renew);
    clearTimeout(timer);
    timer = setTimeout(() => tell(true), GIVEN_BACK_MS);
  },
  /** A picture came back, or is wanted no more. */
  remove(canvas: HTMLCanvasElement) {
    if (waiting.delete(canvas) && waiting.size === 0) tell(false);
  },
  /** Makes new canvases for all of them. */
  renew() {
    for (const renew of waiting.values()) renew();
  },
  /** Is there one that does not come back? */
  isAny: () => isOverdue && waiting.size > 0,
  /** Calls back when that changes. */
  subscribe(listener: () => void) {
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  },
};
