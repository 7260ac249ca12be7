// Geometry of a memory cgroup's tank: its pages by state, and its limits. Heights are pixels,
// quantities are pages.

import { spread } from "./tank";

/** The contents of a cgroup's tank; all quantities in pages. */
export interface GroupTankInput {
  readonly usage: number;
  /** Null without a limit. */
  readonly max: number | null;
  /** Null without a limit. */
  readonly high: number | null;
  readonly low: number;
  readonly min: number;
  /** Pages by state. */
  readonly states: readonly number[];
}

/** The name of a limit or a protection. */
type GroupMarkName = "max" | "high" | "low" | "min";

/** The line of a limit or a protection. */
export interface GroupMark {
  readonly name: GroupMarkName;
  readonly pages: number;
  readonly y: number;
  /** The position of the label; labels never overlap. */
  readonly label_y: number;
  readonly dash: string;
  /** Whether the usage has reached it. */
  readonly is_reached: boolean;
}

/** The layout of a cgroup's tank. */
export interface GroupTankLayout {
  /** Pages at the top of the scale. */
  readonly scale_pages: number;
  /** The pages from the bottom, the hardest to reclaim first: state, y, height. */
  readonly stack: readonly {
    readonly state: number;
    readonly y: number;
    readonly height: number;
  }[];
  /** Pages charged for kernel objects, or by CPUs in advance: the states do not contain them. */
  readonly advance_pages: number;
  readonly usage_y: number;
  readonly marks: readonly GroupMark[];
}

/**
 * States from the bottom of a tank: anonymous pages, kernel pages, pages that must be written, then
 * clean file pages, which reclaim frees at once.
 */
export const GROUP_STATES: readonly number[] = [1, 2, 10, 9, 8, 11, 7, 6, 5, 3, 4];

const LABEL_PX = 12;
const DASHES: Readonly<Record<GroupMarkName, string>> = {
  max: "",
  high: "1.5 2.5",
  low: "5 2.5",
  min: "9 2.5",
};

/** Lays out the tank of a cgroup between `top` and `bottom`. */
export function groupTankLayout(
  input: GroupTankInput,
  top: number,
  bottom: number,
): GroupTankLayout {
  const { usage, states } = input;
  const set = marksOf(input);
  const held = states.reduce((sum, pages) => sum + pages, 0);
  const largest = Math.max(1, usage, held, ...set.map(({ pages }) => pages));
  const scale_pages = Math.round(largest * 1.1);
  const y = (pages: number) => bottom - (pages / scale_pages) * (bottom - top);
  const ys = set.map(({ pages }) => Math.round(y(pages)) + 0.5);
  const labels = spread(ys, LABEL_PX, top + 2, bottom - 2);
  let under = 0;
  const stack = GROUP_STATES.flatMap((state) => {
    const pages = states[state] ?? 0;
    if (pages <= 0) return [];
    const from = y(under);
    under += pages;
    return [{ state, y: y(under), height: from - y(under) }];
  });
  return {
    scale_pages,
    stack,
    advance_pages: Math.max(0, usage - under),
    usage_y: y(usage),
    marks: set.map(({ name, pages }, i) => ({
      name,
      pages,
      y: ys[i] ?? bottom,
      label_y: labels[i] ?? bottom,
      dash: DASHES[name],
      is_reached: usage >= pages,
    })),
  };
}

/** The marks that are set, the largest first. */
function marksOf({ max, high, low, min }: GroupTankInput) {
  const all: { name: GroupMarkName; pages: number }[] = [];
  if (max !== null) all.push({ name: "max", pages: max });
  if (high !== null) all.push({ name: "high", pages: high });
  if (low > 0) all.push({ name: "low", pages: low });
  if (min > 0) all.push({ name: "min", pages: min });
  return all.sort((a, b) => b.pages - a.pages);
}
