// Which tasks have a lane, and the paths of their activities.

import { lanePieces, rowAt, shortReclaims } from "../draw/series";
import {
  type Doing,
  RECLAIM_WAITS,
  type ReclaimWait,
  rowDoing,
  rowFree,
  rowReclaimed,
  type Series,
} from "../engine/rows";
import type { RunTask } from "../engine/run";
import { type ChartRow, LANE_PX, LEAST_ZONE_PX, MORE_PX, type Scale } from "./frame";
import { TIMELINE, WAIT_WORDS } from "./words";

/** The maximum number of lanes that a reader can use. */
export const MOST_LANES = 100;
/** At least this many task lanes stay, however little room there is. */
const LEAST_LANES = 2;

const isPseudo = ({ kernel_thread, name }: RunTask) =>
  kernel_thread && /^(timer|irq)\/|^intervention$/.test(name);

/** The tasks that existed in these moments, kernel threads first. */
export function laneTasks(tasks: readonly RunTask[], series: Series): readonly RunTask[] {
  const rows = Array.from({ length: series.length }, (_, row) => row);
  const isThere = ({ id }: RunTask) => rows.some((row) => rowDoing(series, row, id) !== "gone");
  const there = tasks.filter((task) => !isPseudo(task) && isThere(task));
  const rank = ({ kernel_thread }: RunTask) => (kernel_thread ? 0 : 1);
  return [...there].sort((a, b) => rank(a) - rank(b));
}

/** The rows that cover a part of the time. */
function rowsOf(series: Series, [from_ns, to_ns]: readonly [number, number]): number[] {
  const [first, last] = [rowAt(series, from_ns), rowAt(series, to_ns)];
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/** A task's lane or a zone's curve, and whether it changed. */
interface Foldable<T> {
  readonly of: T;
  readonly hasChanged: boolean;
}

/** Which tasks had more than one activity in a part of the time, or reclaimed between two rows. */
export function tasksChanged(
  tasks: readonly RunTask[],
  series: Series,
  stretch: readonly [number, number],
): Foldable<RunTask>[] {
  const rows = rowsOf(series, stretch);
  return tasks.map((task) => {
    const first = rowDoing(series, rows[0] ?? 0, task.id);
    const isOther = (row: number) => rowDoing(series, row, task.id) !== first;
    const isShort = (row: number, i: number) => i > 0 && rowReclaimed(series, row, task.id);
    return { of: task, hasChanged: rows.some((row, i) => isOther(row) || isShort(row, i)) };
  });
}

/** Which zones, by index, had a change of free pages in a part of the time. */
export function zonesChanged(series: Series, stretch: readonly [number, number]) {
  const rows = rowsOf(series, stretch);
  return Array.from({ length: series.zones }, (_, zone): Foldable<number> => {
    const first = rowFree(series, rows[0] ?? 0, zone);
    return { of: zone, hasChanged: rows.some((row) => rowFree(series, row, zone) !== first) };
  });
}

/** The lanes and curves that are shown, and how many are not. */
export interface Folding {
  readonly tasks: readonly RunTask[];
  /** Zones by index. */
  readonly zones: readonly number[];
  readonly folded: number;
  /** How many of the folded lanes changed nevertheless. */
  readonly foldedChanged: number;
}

/**
 * All lanes and curves if they fit or if `isAll` is true. Otherwise those that changed, as many as
 * fit, and a line with the number of the others.
 */
export function foldLanes(
  tasks: readonly Foldable<RunTask>[],
  zones: readonly Foldable<number>[],
  { room_px, isAll }: { room_px: number; isAll: boolean },
): Folding {
  const fits = tasks.length * LANE_PX + zones.length * LEAST_ZONE_PX <= room_px;
  const isFolded = !isAll && !fits;
  // Curves beyond the lowest lanes would be cut.
  const most_px = room_px - MORE_PX - LEAST_LANES * LANE_PX;
  const curves = isFolded
    ? zones
        .filter(({ hasChanged }) => hasChanged)
        .slice(0, Math.max(0, Math.floor(most_px / LEAST_ZONE_PX)))
    : zones;
  const left = room_px - curves.length * LEAST_ZONE_PX - MORE_PX;
  const most = isFolded ? Math.max(LEAST_LANES, Math.floor(left / LANE_PX)) : MOST_LANES;
  const some = tasks.filter(({ hasChanged }) => hasChanged || !isFolded);
  // A workload's own tasks are folded last; the remaining ones keep their order.
  const byRank = [...some].sort((a, b) => Number(a.of.kernel_thread) - Number(b.of.kernel_thread));
  const stay = new Set((isFolded ? byRank : some).slice(0, most));
  const changed = some.filter((task) => stay.has(task));
  const visible = new Set([...changed.map(({ of }) => of), ...curves.map(({ of }) => of)]);
  const folded = [...tasks, ...zones].filter(({ of }) => !visible.has(of));
  return {
    tasks: changed.map(({ of }) => of),
    zones: curves.map(({ of }) => of),
    folded: folded.length,
    foldedChanged: folded.filter(({ hasChanged }) => hasChanged).length,
  };
}

/** The number of folded lanes, in words. */
export function foldedWords({ folded, foldedChanged }: Folding): string {
  return foldedChanged > 0 ? TIMELINE.moreLanes(folded) : TIMELINE.unchangedLanes(folded);
}

/** How far a bar extends from the middle of its lane. */
const REACH: Readonly<Record<Doing, number>> = {
  gone: 0,
  asleep: 0,
  ready: 1,
  running: 2,
  io: 0,
  throttled: 5,
  reclaiming: 5,
  written: 5,
  isolated: 5,
  noprogress: 5,
  congested: 5,
};

/**
 * The height and the minimum width of the strip for short reclaim, which lasts only microseconds.
 */
const SHORT_PX = 3;
const LEAST_SHORT_PX = 1.5;

/** The room for a word in a lane: for each letter, and next to the word. */
const LETTER_PX = 6;
const BESIDE_PX = 12;

/** The word for a throttled period, if the period is wide enough for it. */
export interface WaitWord {
  readonly doing: ReclaimWait;
  readonly x: number;
}

const isReclaimWait = (doing: Doing): doing is ReclaimWait =>
  (RECLAIM_WAITS as readonly Doing[]).includes(doing);

/** Where a lane has room for the reason why its task is throttled: in the middle of the period. */
export function waitWords(
  series: Series,
  task: number,
  { x, left, right }: Scale,
): readonly WaitWord[] {
  return lanePieces(series, task).flatMap(({ doing, from_ns, to_ns }) => {
    if (!isReclaimWait(doing)) return [];
    const [from, to] = [Math.max(left, x(from_ns)), Math.min(right, x(to_ns))];
    const room = to - from - BESIDE_PX;
    return room < WAIT_WORDS[doing].length * LETTER_PX
      ? []
      : [{ doing, x: Math.round((from + to) / 2) }];
  });
}

/** The reasons for which any of the tasks was throttled, in the order of the legend. */
export function waitsIn(series: Series, tasks: readonly { readonly id: number }[]): ReclaimWait[] {
  const seen = new Set<Doing>();
  for (let row = 0; row < series.length; row += 1)
    for (const { id } of tasks) seen.add(rowDoing(series, row, id));
  return RECLAIM_WAITS.filter((wait) => seen.has(wait));
}

/** Whether any of the tasks reclaims only between two rows. */
export const hasShortReclaims = (series: Series, tasks: readonly { readonly id: number }[]) =>
  tasks.some(({ id }) => shortReclaims(series, id).length > 0);

/** The path of a task's short reclaim: a strip along the upper edge of its lane. */
export function shortPath(
  series: Series,
  task: number,
  { x, left, right }: Scale,
  { top, bottom }: ChartRow,
): string {
  const upper = Math.round((top + bottom) / 2) + 0.5 - REACH.reclaiming;
  return shortReclaims(series, task)
    .map(({ from_ns, to_ns }) => [Math.max(left, x(from_ns)), Math.min(right, x(to_ns))] as const)
    .filter(([from, to]) => to > left && from < right)
    .map(([from, to]) => {
      const wide = Math.max(LEAST_SHORT_PX, to - from).toFixed(1);
      return `M${from.toFixed(1)} ${upper}h${wide}v${SHORT_PX}h-${wide}z`;
    })
    .join("");
}

/** One path for each activity of a task: boxes, or lines for a mark without height. */
export function lanePaths(
  series: Series,
  task: number,
  { x, left, right }: Scale,
  { top, bottom }: ChartRow,
): ReadonlyMap<Doing, string> {
  const middle = Math.round((top + bottom) / 2) + 0.5;
  const paths = new Map<Doing, string>();
  for (const { doing, from_ns, to_ns } of lanePieces(series, task)) {
    const from = Math.max(left, x(from_ns));
    const to = Math.min(right, x(to_ns));
    if (to <= left || from >= right) continue;
    const reach = REACH[doing];
    // Anything shorter than a pixel must still be visible.
    const wide = Math.max(0.7, to - from).toFixed(1);
    const piece =
      reach === 0
        ? `M${from.toFixed(1)} ${middle}h${wide}`
        : `M${from.toFixed(1)} ${middle - reach}h${wide}v${2 * reach}h-${wide}z`;
    paths.set(doing, (paths.get(doing) ?? "") + piece);
  }
  return paths;
}
