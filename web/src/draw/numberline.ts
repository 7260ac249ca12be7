// The number line under a Why sentence: a value, the mark it was compared with, the other marks.

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
  /** The value lies beyond the line's end. */
  readonly is_beyond: boolean;
  readonly against_x: number;
  readonly marks: readonly NumberLineMark[];
}

const LABEL_PX = 56;

/** Lays a number line out between x = `left` and `right`. */
export function numberLine(input: NumberLineInput, left: number, right: number): NumberLine {
  const { value, against, against_label } = input;
  const shown = input.marks.filter(([, mark]) => mark !== against);
  const all = [...shown, [against_label, against] as const].sort(([, a], [, b]) => a - b);
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
    marks: thin(
      all.map(([name, mark]) => ({
        name,
        value: mark,
        x: place(mark),
        label_x: place(mark),
        anchor: "middle" as const,
        is_compared: mark === against,
      })),
    ).map((mark) => keepInside(mark, left, right)),
  };
}

/** Drops the labels of marks that lie too near the compared one, whose label always shows. */
function thin(marks: readonly NumberLineMark[]): NumberLineMark[] {
  const compared = marks.find(({ is_compared }) => is_compared);
  const kept: NumberLineMark[] = [];
  for (const mark of marks) {
    const isNearCompared =
      !mark.is_compared && compared && Math.abs(mark.x - compared.x) < LABEL_PX;
    const last = kept.findLast(({ name }) => name !== "");
    const isNearLast = !mark.is_compared && last && Math.abs(mark.x - last.x) < LABEL_PX;
    kept.push(isNearCompared || isNearLast ? { ...mark, name: "" } : mark);
  }
  return kept;
}

function keepInside(mark: NumberLineMark, left: number, right: number): NumberLineMark {
  if (mark.x < left + LABEL_PX / 2) return { ...mark, label_x: left, anchor: "start" };
  if (mark.x > right - LABEL_PX / 2) return { ...mark, label_x: right, anchor: "end" };
  return mark;
}
