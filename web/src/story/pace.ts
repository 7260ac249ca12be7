// Decides how long each moment is shown. Playback skips intervals in which only time passes, speeds
// up repetitions, and slows down at a moment for as long as it takes to read.

import type { Gap } from "./records";
import { type Act, type Line, mostOf, waitWords } from "./routine";
import { type Moment, wordsIn } from "./telling";

/** A stop of playback: the step, how long it is shown, and the text for it. */
export interface Beat {
  readonly step: number;
  readonly wall_ms: number;
  readonly line: Line | null;
  readonly moment: Moment | null;
}

/** The known part of a range of the run. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  /** Moments after `from`, up to and including `to`. */
  readonly moments: readonly Moment[];
  readonly acts: readonly Act[];
  readonly gaps: readonly Gap[];
}

/** The display time of a new sentence: this much, plus an amount for each word. */
const FIRST_MS = 1200;
const WORD_MS = 250;
/**
 * The maximum display time; after a longer time the viewer would think that playback has stopped.
 */
const MOST_MS = 3900;
/** The second showing takes half of the time; from this one on it takes a quarter. */
const QUARTER_FROM = 5;
/** A kind that was shown this often, and recurs within this number of steps, is a loop and is only
    counted. */
const LOOP_FROM = 12;
const LOOP_STEPS = 20_000;
/** How long a wait is shown. */
const WAIT_MS = 450;
/** How long a frame of a repetition is shown; the maximum number of frames, at first and later; and
    how long the line of a new kind is shown. */
const QUICK_MS = 110;
const MOST_QUICK = { first: 16, later: 9 };
const NEW_LINE_MS = 1200;

/** How often the reader has seen each kind. */
export class Read {
  readonly #times = new Map<string, number>();
  readonly #last = new Map<string, number>();

  /** How often this kind was shown. */
  times(kind: string): number {
    return this.#times.get(kind) ?? 0;
  }

  /** Whether this kind has become a loop. */
  isLoop({ kind, step }: Moment): boolean {
    const since = Math.abs(step - (this.#last.get(kind) ?? Number.NEGATIVE_INFINITY));
    return this.times(kind) >= LOOP_FROM && since < LOOP_STEPS;
  }

  /** Counts one more showing. */
  add(kind: string, step: number) {
    this.#times.set(kind, this.times(kind) + 1);
    this.#last.set(kind, step);
  }
}

/** How long to show a moment's sentence that was shown `times` times before. */
export function readingMs(moment: Pick<Moment, "sentence">, times: number): number {
  const first = FIRST_MS + WORD_MS * wordsIn(moment.sentence);
  const share = times === 0 ? 1 : times + 1 < QUARTER_FROM ? 1 / 2 : 1 / 4;
  return Math.min(MOST_MS, first * share);
}

/** The next stops, and the moments that they cover. */
export interface Plan {
  readonly beats: readonly Beat[];
  readonly moments: readonly Moment[];
}

/** The next stops of a range: up to the next moment that is not a loop, or to its end. */
export function pace(stretch: Stretch, read: Read, devices: readonly string[]): Plan {
  const looped: Act[] = [];
  const moments: Moment[] = [];
  let next: Moment | null = null;
  for (const moment of stretch.moments) {
    moments.push(moment);
    if (!read.isLoop(moment)) {
      next = moment;
      break;
    }
    read.add(moment.kind, moment.step);
    looped.push({ step: moment.step, task: taskOf(moment), what: LOOPS[moment.kind] });
  }
  const to = next ? Math.max(stretch.from, Math.min(next.before, next.step - 1)) : stretch.to;
  const isIn = ({ step }: { step: number }) => step > stretch.from && step <= to;
  const gaps = stretch.gaps.filter(({ step }) => step > stretch.from && step <= (next?.step ?? to));
  const own = looped.length > 0 ? looped : stretch.acts.filter(isIn);
  const beats = quickened(own, to, gaps, read, devices);
  if (!next) return { beats, moments };
  const wall_ms = readingMs(next, read.times(next.kind));
  read.add(next.kind, next.step);
  return { beats: [...beats, { step: next.step, wall_ms, line: null, moment: next }], moments };
}

const taskOf = ({ sentence }: Moment): number => {
  const named = sentence.find((span) => span.kind === "task");
  return named?.kind === "task" ? named.id : -1;
};

/** The line for a kind of moment that has become a loop. */
const LOOPS: Readonly<Record<Moment["kind"], string>> = {
  "mark crossed downwards": "makes zones cross their watermarks",
  "mark crossed upwards": "makes zones cross their watermarks",
  "zone refused": "fails watermark checks",
  "kswapd woken": "wakes kswapd",
  "kswapd naps": "naps",
  "kswapd asleep": "goes to sleep",
  "batch isolated": "isolates one batch after another",
  "batch done": "finishes one batch after another",
  "stall begun": "reclaims again and again",
  "stall ended": "reclaims again and again",
  "throttle begun": "is throttled again and again",
  "throttle ended": "is throttled again and again",
  "write-out begun": "writes again and again",
  "write-out ended": "writes again and again",
  "first page from another node": "falls back to other nodes",
  "kernel page among movable": "gets kernel pages from Movable pageblocks",
  "swap full": "finds swap full",
  "reclaim gives up": "gives up reclaim",
  "out of memory": "is killed",
  "memory back": "exits and frees its memory",
  "kernel panic": "panics",
  "charge over limit": "reclaims in its cgroup again and again",
  "charge fits": "reclaims in its cgroup again and again",
  "charge fails": "gets no page in its cgroup",
  "cgroup out of memory": "finds nothing to reclaim in its cgroup",
};

/** Stops within repetitions: close together at first, then farther apart. */
function quickened(
  acts: readonly Act[],
  to: number,
  gaps: readonly Gap[],
  read: Read,
  devices: readonly string[],
): Beat[] {
  const wait: Beat[] =
    gaps.length === 0
      ? []
      : [
          {
            step: to,
            wall_ms: WAIT_MS,
            line: { kind: "wait", words: waitWords(gaps, devices) },
            moment: null,
          },
        ];
  const most = mostOf(acts);
  if (!most) return wait;
  const same = acts.filter(({ task, what }) => task === most.task && what === most.what);
  const isNew = read.times(most.what) === 0;
  read.add(most.what, most.step);
  const most_quick = isNew ? MOST_QUICK.first : MOST_QUICK.later;
  const beats = picks(same.length, most_quick).map((times, i): Beat => {
    const at = same[times - 1] ?? most;
    const wall_ms = i === 0 && isNew ? NEW_LINE_MS : QUICK_MS;
    const line = { kind: "repeat", task: most.task, what: most.what, times } as const;
    return { step: at.step, wall_ms, line, moment: null };
  });
  return [...beats, ...wait];
}

/** At most `most` numbers from 1 to `count`, with growing distances. */
export function picks(count: number, most: number): number[] {
  const all: number[] = [];
  const many = Math.min(most, count);
  for (let i = 0; i < many; i += 1) {
    const share = many === 1 ? 1 : i / (many - 1);
    const at = Math.max((all.at(-1) ?? 0) + 1, Math.round(count ** share));
    if (at <= count) all.push(at);
  }
  return all;
}
