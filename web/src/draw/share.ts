// Divides a window's height between the machine and the timeline. The machine comes first: the
// timeline gives its height to it. Then the machine's own parts give way, or the timeline becomes
// one line if that is not enough.

/** The least height of an open timeline: its tools, its times and two lanes. */
export const LEAST_TIME_PX = 121;
/** More lanes than fit here are reached by scrolling. */
const MOST_TIME_PX = 420;
/** The extra height of the line between stage and timeline if it contains the timeline as well. */
export const LINE_PX = 4;
/** The least height of the stage when a user enlarges the timeline. */
const LEAST_STAGE_PX = 160;
/** A machine higher than its room by this factor scrolls in any case: lower maps would not help. */
const SCROLLED = 1.5;
/** How much the machine may give way to keep the timeline open. */
const WORTH_PX = 72;

/**
 * How far the machine's own parts have given way: 0 not at all, 1 empty LRU lists share a line, 2
 * page maps are lower, 3 page maps are as low as possible. What does not fit then scrolls.
 */
export type Squeeze = 0 | 1 | 2 | 3;

/** One way to divide a window. */
interface Rung {
  readonly isLine: boolean;
  readonly squeeze: Squeeze;
}

/** What decides on the timeline: it does not exist, the user wants it open or as a line, the
 * window. */
export type TimeWish = "none" | "open" | "line" | "free";

const rungs = (isLine: boolean, squeezes: readonly Squeeze[]): readonly Rung[] =>
  squeezes.map((squeeze) => ({ isLine, squeeze }));

/** Ways to divide a window; the next one is tried if the machine has too little room. */
const LADDERS: Readonly<Record<TimeWish, readonly Rung[]>> = {
  none: rungs(true, [0, 1, 2, 3]),
  line: rungs(true, [0, 1, 2, 3]),
  open: rungs(false, [0, 1, 2, 3]),
  free: [...rungs(false, [0, 1, 2]), ...rungs(true, [0, 1, 2, 3])],
};

/** A window whose height must be divided. */
export interface Room {
  /** Height of the stage and of an open timeline together. */
  readonly room_px: number;
  /** Height of the machine, squeezed as its rung requires. */
  readonly machine_px: number;
  /** The index of the way that was measured. */
  readonly rung: number;
  readonly wish: TimeWish;
  /** The height that the user gave the timeline, which keeps it open. */
  readonly chosen_px: number | null;
}

/** The result. */
export interface Share {
  /** The machine fits, or nothing else can give way; otherwise it must be measured again. */
  readonly isSettled: boolean;
  readonly rung: number;
  readonly squeeze: Squeeze;
  /** Height of the timeline, if it is open. */
  readonly time_px: number;
  /** The timeline is one line. */
  readonly isLine: boolean;
}

/** Divides the height of a window. */
export function share({ room_px, machine_px, rung, wish, chosen_px }: Room): Share {
  const chosen =
    chosen_px === null
      ? null
      : Math.max(LEAST_TIME_PX, Math.min(chosen_px, room_px - LEAST_STAGE_PX));
  const ladder = LADDERS[wish === "free" && chosen !== null ? "open" : wish];
  const line_px = wish === "none" ? 0 : LINE_PX;
  const shortOf = ({ isLine }: Rung) =>
    machine_px + (isLine ? line_px : (chosen ?? LEAST_TIME_PX)) - room_px;
  const measured = Math.min(rung, ladder.length - 1);
  let at = measured;
  const isScrolled = ({ squeeze }: Rung) => squeeze > 0 && machine_px > SCROLLED * room_px;
  const isMeasured = ({ squeeze }: Rung) => squeeze === ladder[measured]?.squeeze;
  let now = ladder[at] ?? FIRST;
  // A fit is only known for the measured squeeze; another one must be measured first.
  while (isMeasured(now) && at < ladder.length - 1 && shortOf(now) > 0 && !isScrolled(now)) {
    const isTooMuch = !now.isLine && now.squeeze === 0 && shortOf(now) > WORTH_PX;
    const line = isTooMuch ? ladder.findIndex(({ isLine }) => isLine) : -1;
    at = line < 0 ? at + 1 : line;
    now = ladder[at] ?? FIRST;
  }
  const left_px = Math.max(LEAST_TIME_PX, Math.min(MOST_TIME_PX, Math.floor(room_px - machine_px)));
  return { ...now, rung: at, isSettled: isMeasured(now), time_px: chosen ?? left_px };
}

const FIRST: Rung = { isLine: false, squeeze: 0 };
