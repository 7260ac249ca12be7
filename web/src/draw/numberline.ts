// The number line under a Why sentence: a value, the compared watermark, the other watermarks.

import { count } from "../engine/format";

/** A compared value; quantities in pages. */
export interface NumberLineInput {
  readonly label: string;
  readonly value: number;
  readonly against_label: string;
  readonly against: number;
  readonly marks: readonly (readonly [string, number])[];
}

/** A tick with its label below the line. */
interface NumberLineMark {
  readonly name: string;
  readonly value: number;
  readonly x: number;
  readonly label_x: number;
  readonly anchor: "start" | "middle" | "end";
  readonly is_compared: boolean;
}

/** A number line ready to be drawn. */
export interface NumberLine {
  readonly value_x: number;
  /** The value is beyond the line's end. */
  readonly is_beyond: boolean;
  readonly against_x: number;
  readonly marks: readonly NumberLineMark[];
}

/** The largest width of a character in a label: digits and bold letters of the 12 px font. */
const CHARACTER_PX = 6.6;
/** The space between two labels. */
const GAP_PX = 6;

/** The width that a label needs. */
export const labelPx = (text: string): number => text.length * CHARACTER_PX;

/** Lays out a number line between x = `left` and `right`. */
export function numberLine(input: NumberLineInput, left: number, right: number): NumberLine {
  const { value, against, against_label } = input;
  const drawn = input.marks.filter(([, mark]) => mark !== against);
  const all = [...drawn, [against_label, against] as const].sort(([, a], [, b]) => a - b);
  const marks = all.map(([, mark]) => mark);
  const lowest = Math.min(...marks, value, against);
  const highest = Math.max(...marks);
  const margin = Math.max(1, (highest - lowest) * 0.25, highest * 0.1);
  const from = lowest - margin;
  const to = highest + margin;
  const place = (v: number) =>
    left + ((Math.min(to, Math.max(from, v)) - from) / (to - from)) * (right - left);
  return {
    value_x: place(value),
    is_beyond: value > to,
    against_x: place(against),
    marks: labelled(
      all.map(([name, mark]) => ({
        name,
        value: mark,
        x: place(mark),
        label_x: place(mark),
        anchor: "middle" as const,
        is_compared: mark === against,
      })),
      left,
      right,
    ),
  };
}

/** The range of x that a label covers. */
interface Reach {
  readonly from: number;
  readonly to: number;
}

const isApart = (a: Reach, b: Reach) => a.to + GAP_PX <= b.from || b.to + GAP_PX <= a.from;

/**
 * Keeps every label inside the line and drops overlapping labels. The compared watermark always
 * keeps its label; of two other labels the lower one stays.
 */
function labelled(
  marks: readonly NumberLineMark[],
  left: number,
  right: number,
): readonly NumberLineMark[] {
  const placed = marks.map((mark) => keepInside(mark, left, right));
  const taken: Reach[] = [];
  const named = new Set<NumberLineMark>();
  for (const mark of [...placed].sort((a, b) => Number(b.is_compared) - Number(a.is_compared))) {
    const reach = reachOf(mark);
    if (!mark.is_compared && !taken.every((other) => isApart(other, reach))) continue;
    taken.push(reach);
    named.add(mark);
  }
  return placed.map((mark) => (named.has(mark) ? mark : { ...mark, name: "" }));
}

/** The text below a tick. */
export const markLabel = ({ name, value }: Pick<NumberLineMark, "name" | "value">): string =>
  `${name} ${count(value)}`;

function reachOf(mark: NumberLineMark): Reach {
  const width = labelPx(markLabel(mark));
  const before = { start: 0, middle: width / 2, end: width }[mark.anchor];
  return { from: mark.label_x - before, to: mark.label_x - before + width };
}

function keepInside(mark: NumberLineMark, left: number, right: number): NumberLineMark {
  const half = labelPx(markLabel(mark)) / 2;
  if (mark.x < left + half) return { ...mark, label_x: left, anchor: "start" };
  if (mark.x > right - half) return { ...mark, label_x: right, anchor: "end" };
  return mark;
}

/** The left edges of the two texts above the line; null if there is no room for one. */
export interface AboveLine {
  readonly value_from: number;
  readonly difference_from: number | null;
}

/**
 * Places the labels of the value and of the difference next to their ticks, on the outer sides if
 * there is space, and moves them apart if they would overlap.
 */
export function aboveLine(
  { value_x, against_x }: Pick<NumberLine, "value_x" | "against_x">,
  value: string,
  difference: string,
  width: number,
): AboveLine {
  const [value_px, difference_px] = [labelPx(value), labelPx(difference)];
  const isLeft = value_x <= against_x;
  const inside = (from: number, px: number) => Math.max(0, Math.min(from, width - px));
  const beside = (x: number, px: number, isBefore: boolean) =>
    inside(isBefore ? x - 5 - px : x + 5, px);
  const value_from = beside(value_x, value_px, isLeft);
  const difference_from = beside(against_x, difference_px, !isLeft);
  const reach = (from: number, px: number) => ({ from, to: from + px });
  if (isApart(reach(value_from, value_px), reach(difference_from, difference_px))) {
    return { value_from, difference_from };
  }
  if (value_px + GAP_PX + difference_px > width) return { value_from, difference_from: null };
  // Places the labels one after the other, in the order of their ticks, as close to the ticks as
  // possible.
  const [first_px, second_px] = isLeft ? [value_px, difference_px] : [difference_px, value_px];
  const anchor = isLeft ? value_from : difference_from;
  const first = Math.min(anchor, width - first_px - GAP_PX - second_px);
  const second = first + first_px + GAP_PX;
  return isLeft
    ? { value_from: first, difference_from: second }
    : { value_from: second, difference_from: first };
}
