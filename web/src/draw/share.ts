// Divides a window's height between the machine and the timeline. The machine has priority: the
// timeline gives up height first. If this is not enough, parts of the machine shrink, or the
// timeline becomes one line.

/** The least height of an open timeline: its tools, its times and two lanes. */
export const LEAST_TIME_PX = 121;
/** The user scrolls to lanes that do not fit here. */
const MOST_TIME_PX = 420;
/** The extra height of the line between stage and timeline if it contains the timeline as well. */
export const LINE_PX = 4;
/** The least height of the stage when a user enlarges the timeline. */
const LEAST_STAGE_PX = 160;
/**
 * A machine higher than its room by this factor scrolls in any case: shrinking the maps would not
 * help.
 */
const SCROLLED = 1.5;
/** How much the machine may shrink to keep the timeline open. */
const WORTH_PX = 72;

/**
 * How far the parts of the machine have shrunk: 0 not at all, 1 empty LRU lists share a line, 2
 * page maps are lower, 3 page maps are as low as possible. If it still does not fit, the stage
 * scrolls.
 */
export type Squeeze = 0 | 1 | 2 | 3;

/** One way to divide a window. */
interface Rung {
  readonly isLine: boolean;
  readonly squeeze: Squeeze;
}

/** What determines the state of the timeline: it does not exist, the user's choice (open or a
    line), or the window. */
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
  /** The index of the division that was measured. */
  readonly rung: number;
  readonly wish: TimeWish;
  /** The height that the user gave the timeline, which keeps it open. */
  readonly chosen_px: number | null;
}

/** The result. */
export interface Share {
  /**
   * Whether the machine fits or nothing else can shrink; otherwise the stage must be measured
   * again.
   */
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
  // Whether the machine fits is known only for the measured squeeze; any other squeeze must be
  // measured first.
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
