// Geometry of a zone's bar, lens and tank. Heights are pixels, quantities are pages.

/** The contents of a tank; all quantities in pages. */
export interface TankInput {
  readonly present: number;
  readonly free: number;
  readonly min: number;
  readonly low: number;
  readonly high: number;
  /** Pages by state; sums to `present`. */
  readonly states: readonly number[];
  /** The reserve for the request that checks the zone; 0 without a request. */
  readonly kept_back: number;
  /** The watermark that the request is compared with. */
  readonly mark: string;
}

/** The line of one watermark. */
export interface TankMark {
  readonly name: string;
  /** Pages, without the reserve. */
  readonly pages: number;
  readonly y: number;
  /** The position of the label; labels never overlap. */
  readonly label_y: number;
  readonly dash: string;
  readonly is_compared: boolean;
}

/** The layout of a tank. */
export interface TankLayout {
  readonly top: number;
  readonly bottom: number;
  /** Pages at the top of the scale. */
  readonly scale_pages: number;
  /** Stack of the whole zone from the bottom: state index, y, height. */
  readonly bar: readonly { readonly state: number; readonly y: number; readonly height: number }[];
  /** Height of the enlarged part. */
  readonly lens_height: number;
  readonly water_y: number;
  /** More pages are free than the scale shows. */
  readonly overflows: boolean;
  /** Top of the hatched reserve; the tank's bottom if there is none. */
  readonly reserve_y: number;
  readonly marks: readonly TankMark[];
  /** The y position of a number of pages. */
  readonly y: (pages: number) => number;
}

const LABEL_PX = 12;

/** Lays out a tank between `top` and `bottom`. */
export function tankLayout(input: TankInput, top: number, bottom: number): TankLayout {
  const { present, free, min, low, high, kept_back } = input;
  const needed = (marks(input).find(({ is_compared }) => is_compared)?.pages ?? 0) + kept_back;
  const scale_pages = Math.max(1, Math.round(Math.max(high, needed) * 1.5));
  const inner = bottom - top - 4;
  const y = (pages: number) => bottom - Math.min(1, pages / scale_pages) * inner;
  const overflows = free > scale_pages;
  const names =
    kept_back > 0 ? marks(input).filter(({ is_compared }) => is_compared) : marks(input);
  const lines = names.map(({ name, pages, is_compared }) => ({
    name,
    pages,
    is_compared,
    dash: name === "high" ? "1.5 2.5" : name === "low" ? "5 2.5" : "",
    y: Math.round(y(pages + kept_back)) + 0.5,
  }));
  const labels = spread(
    lines.map((line) => line.y),
    LABEL_PX,
    top + 6,
    bottom - 2,
  );
  return {
    top,
    bottom,
    scale_pages,
    bar: stack(input.states, present, top, bottom),
    lens_height: Math.max(1.5, Math.min(1, scale_pages / Math.max(1, present)) * (bottom - top)),
    water_y: overflows ? top + 4 : y(free),
    overflows,
    reserve_y: y(kept_back),
    marks: lines.map((line, i) => ({ ...line, label_y: labels[i] ?? line.y })),
    y,
  };

  function marks({ mark }: TankInput) {
    return [
      { name: "high", pages: high, is_compared: mark === "high" },
      { name: "low", pages: low, is_compared: mark === "low" },
      { name: "min", pages: min, is_compared: mark === "min" },
    ];
  }
}

/** States stacked from the bottom; if there are free pages, they take at least 1.5 px. */
function stack(states: readonly number[], present: number, top: number, bottom: number) {
  const whole = bottom - top;
  let y = bottom;
  return states.flatMap((pages, state) => {
    if (pages <= 0) return [];
    const height = Math.max((pages / Math.max(1, present)) * whole, state === 0 ? 1.5 : 0.5);
    y -= height;
    return [{ state, y: Math.max(top, y), height }];
  });
}

/** Moves labels apart from top to bottom until they no longer overlap, and keeps them between the
    ends. */
export function spread(ys: readonly number[], room: number, first: number, last: number): number[] {
  const out = [...ys];
  for (let i = 0; i < out.length; i += 1) {
    const above = i === 0 ? first : (out[i - 1] ?? 0) + room;
    out[i] = Math.max(out[i] ?? 0, above);
  }
  for (let i = out.length - 1; i >= 0; i -= 1) {
    const below = i === out.length - 1 ? last : (out[i + 1] ?? 0) - room;
    out[i] = Math.min(out[i] ?? 0, below);
  }
  return out;
}
