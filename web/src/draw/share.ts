// How a window's height is shared out between the machine and the timeline. The machine comes first:
// the timeline gives its height to it; then the machine's own parts give way, or the timeline becomes
// one line where that would not be enough.

/** Height of an open timeline that was given no more: its tools, its times and two lanes. */
export const LEAST_TIME_PX = 121;
/** More lanes than this are scrolled to. */
const MOST_TIME_PX = 420;
/** The line between stage and timeline is so much higher where it holds the timeline as well. */
export const LINE_PX = 4;
/** A person who enlarges the timeline keeps so much of the stage in sight. */
const LEAST_STAGE_PX = 160;
/** A machine so much higher than its room is scrolled in any case: lower maps would not save that. */
const SCROLLED = 1.5;
/** So much a machine may give way that its timeline stays open. */
const WORTH_PX = 72;

/**
 * How far the machine's own parts have given way: not at all; empty LRU lists share a line; page maps
 * are lower; page maps are as low as they get. What has no room then is scrolled to.
 */
export type Squeeze = 0 | 1 | 2 | 3;

/** One way to share a window out. */
interface Rung {
  readonly isLine: boolean;
  readonly squeeze: Squeeze;
}

/** Who decides on the timeline: there is none, a person wants it open or as a line, the window. */
export type TimeWish = "none" | "open" | "line" | "free";

const rungs = (isLine: boolean, squeezes: readonly Squeeze[]): readonly Rung[] =>
  squeezes.map((squeeze) => ({ isLine, squeeze }));

/** Ways to share a window out, each tried where the one before leaves the machine too little. */
const LADDERS: Readonly<Record<TimeWish, readonly Rung[]>> = {
  none: rungs(true, [0, 1, 2, 3]),
  line: rungs(true, [0, 1, 2, 3]),
  open: rungs(false, [0, 1, 2, 3]),
  free: [...rungs(false, [0, 1, 2]), ...rungs(true, [0, 1, 2, 3])],
};

/** A window whose height is to be shared out. */
export interface Room {
  /** Height of the stage and of an open timeline together. */
  readonly room_px: number;
  /** Height the machine takes, squeezed as its rung says. */
  readonly machine_px: number;
  /** How many ways were tried before. */
  readonly rung: number;
  readonly wish: TimeWish;
  /** The height a person gave the timeline: that keeps it open. */
  readonly chosen_px: number | null;
}

/** Who has what. */
export interface Share {
  /** The machine fits, or nothing else can give way; else it has to be measured again. */
  readonly isSettled: boolean;
  readonly rung: number;
  readonly squeeze: Squeeze;
  /** Height of the timeline, where it is open. */
  readonly time_px: number;
  /** The timeline is one line. */
  readonly isLine: boolean;
}

/** Shares the height of a window out. */
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
  // As it was measured it is known whether the machine fits; squeezed otherwise it is not.
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
