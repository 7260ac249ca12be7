// Which tasks have a lane, and the paths of what they did.

import { lanePieces } from "../draw/series";
import { type Doing, rowDoing, type Series } from "../engine/rows";
import type { TaskView } from "../engine/types";
import type { Row, Scale } from "./frame";

/** As many lanes as anybody reads. */
const MOST_LANES = 40;

const isPseudo = ({ kernel_thread, name }: TaskView) =>
  kernel_thread && /^(timer|irq)\/|^intervention$/.test(name);

/** The tasks that were there in these moments, kernel threads first; `more` were left out. */
export function laneTasks(
  tasks: readonly TaskView[],
  series: Series,
): { readonly shown: readonly TaskView[]; readonly more: number } {
  const rows = Array.from({ length: series.length }, (_, row) => row);
  const isThere = ({ id }: TaskView) => rows.some((row) => rowDoing(series, row, id) !== "gone");
  const there = tasks.filter((task) => !isPseudo(task) && isThere(task));
  const rank = ({ kernel_thread }: TaskView) => (kernel_thread ? 0 : 1);
  const shown = [...there].sort((a, b) => rank(a) - rank(b)).slice(0, MOST_LANES);
  return { shown, more: there.length - shown.length };
}

/** How far from the middle of its lane a mark reaches. */
const REACH: Readonly<Record<Doing, number>> = {
  gone: 0,
  asleep: 0,
  ready: 1,
  running: 2,
  io: 0,
  throttled: 5,
  reclaiming: 5,
};

/** One path for each thing a task did: boxes, or lines where a mark has no height. */
export function lanePaths(
  series: Series,
  task: number,
  end_ns: number,
  { x, left, right }: Scale,
  { top, bottom }: Row,
): ReadonlyMap<Doing, string> {
  const middle = Math.round((top + bottom) / 2) + 0.5;
  const paths = new Map<Doing, string>();
  for (const { doing, from_ns, to_ns } of lanePieces(series, task, end_ns)) {
    const from = Math.max(left, x(from_ns));
    const to = Math.min(right, x(to_ns));
    if (to <= left || from >= right) continue;
    const reach = REACH[doing];
    // What is there for less than a pixel is still seen.
    const wide = Math.max(0.7, to - from).toFixed(1);
    const piece =
      reach === 0
        ? `M${from.toFixed(1)} ${middle}h${wide}`
        : `M${from.toFixed(1)} ${middle - reach}h${wide}v${2 * reach}h-${wide}z`;
    paths.set(doing, (paths.get(doing) ?? "") + piece);
  }
  return paths;
}
