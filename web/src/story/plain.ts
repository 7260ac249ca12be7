// A story's moments in plain words for newcomers: one sentence each, which explains every term when
// it first appears.

import type { Moment, MomentKind, StorySpan } from "./telling";

const textIn = ({ sentence }: Moment, kind: StorySpan["kind"], nth = 0): string =>
  sentence.filter((span) => span.kind === kind)[nth]?.text ?? "";

/** The number at the beginning of a part: "16" of "16 counted". */
const figure = (text: string) => /[\d,]+/.exec(text)?.[0] ?? "";
const number = (moment: Moment, nth: number) => figure(textIn(moment, "number", nth));
const pages = (figure: string) => (figure === "1" ? "page" : "pages");

const oldest = (figure: string) =>
  figure === "1"
    ? "the least recently used page and checks it"
    : `the ${figure} least recently used pages and checks each`;

type Plain = (moment: Moment, isFirst: boolean) => string;

const PLAIN: Partial<Record<MomentKind, Plain>> = {
  "zone refused": (moment, isFirst) => {
    const zone = textIn(moment, "zone");
    const free = number(moment, 0);
    return isFirst
      ? `Zone ${zone}, a range of memory, is down to its low watermark: ${free} free ${pages(free)} of 4 KiB.`
      : `Zone ${zone} is also down to its low watermark: ${free} free ${pages(free)}.`;
  },
  "kswapd woken": (moment, isFirst) => {
    const [waker, kswapd] = [textIn(moment, "task"), textIn(moment, "task", 1)];
    return isFirst
      ? `${waker} finds too little free memory and wakes ${kswapd}, the kernel thread that frees memory.`
      : `${waker} wakes ${kswapd}.`;
  },
  "batch isolated": (moment, isFirst) => {
    const [who, taken] = [textIn(moment, "task"), number(moment, 0)];
    return isFirst
      ? `${who} takes ${oldest(taken)}.`
      : `${who} checks ${taken} more ${pages(taken)}.`;
  },
  "batch done": (moment, isFirst) => {
    const who = textIn(moment, "task");
    const [freed, taken] = [number(moment, 0), number(moment, 1)];
    if (freed === "0")
      return `${who} frees none of the ${taken}: they are in use or must be written to disk first.`;
    return isFirst
      ? `${who} frees ${freed} of them: their contents are on disk and can be read again.`
      : `${who} frees ${freed} ${pages(freed)}.`;
  },
  "kswapd naps": (moment, isFirst) => {
    const [who, zone, free] = [textIn(moment, "task"), textIn(moment, "zone"), number(moment, 0)];
    if (zone === "") return `${who} has nothing left to do.`;
    return isFirst
      ? `Zone ${zone} has ${free} free ${pages(free)} again, above its high watermark: ${who} can stop.`
      : `${who} can stop: ${free} ${pages(free)} ${free === "1" ? "is" : "are"} free again.`;
  },
  "kswapd asleep": (moment) => `${textIn(moment, "task")} sleeps until it is woken again.`,
};

/** A moment in plain words; null if it has none. */
export const plainly = (moment: Moment, isFirst: boolean): string | null =>
  PLAIN[moment.kind]?.(moment, isFirst) ?? null;

/** Whether this moment has plain words now. Only the first refusal has: the others repeat it. */
export const isPlain = ({ kind }: Moment, seen: ReadonlySet<MomentKind>): boolean =>
  PLAIN[kind] !== undefined && !(kind === "zone refused" && seen.has(kind));
