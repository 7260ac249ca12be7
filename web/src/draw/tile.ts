// One page as a tile: the colour shows the state, and so do the shape and the cut-out. The legend
// uses the same geometry as SVG, the map on a canvas.

/** One piece of a tile, in pixels; colours are CSS tokens without the dashes. */
export type Piece =
  | {
      readonly kind: "box";
      readonly x: number;
      readonly y: number;
      readonly width: number;
      readonly height: number;
      readonly radius: number;
      readonly fill: string | null;
      readonly stroke: string | null;
      readonly stroke_px: number;
    }
  | {
      readonly kind: "path";
      readonly points: readonly (readonly [number, number])[];
      readonly fill: string;
    }
  | {
      readonly kind: "lines";
      readonly lines: readonly (readonly [number, number, number, number])[];
      readonly stroke: string;
    };

interface Area {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

const box = (
  { x, y, w, h }: Area,
  radius: number,
  fill: string | null,
  stroke: string | null = null,
  stroke_px = 1,
): Piece => ({ kind: "box", x, y, width: w, height: h, radius, fill, stroke, stroke_px });

const shrink = ({ x, y, w, h }: Area, by: number): Area => ({
  x: x + by,
  y: y + by,
  w: w - 2 * by,
  h: h - 2 * by,
});

/** The cut-outs by token; `a` is the filled area. */
const CUTS: Record<string, (a: Area) => Piece[]> = {
  dirty: ({ x, y, w }) => [
    {
      kind: "path",
      points: [
        [x + w, y],
        [x + w, y + w * 0.48],
        [x + w * 0.52, y],
      ],
      fill: "notch",
    },
  ],
  writeback: ({ x, y, w, h }) => [
    {
      kind: "path",
      fill: "notch",
      points: [
        [x + w / 2, y + h * 0.16],
        [x + w * 0.8, y + h * 0.46],
        [x + w * 0.63, y + h * 0.46],
        [x + w * 0.63, y + h * 0.82],
        [x + w * 0.37, y + h * 0.82],
        [x + w * 0.37, y + h * 0.46],
        [x + w * 0.2, y + h * 0.46],
      ],
    },
  ],
  slab: ({ x, y, w, h }) => [
    {
      kind: "lines",
      stroke: "notch",
      lines: [
        [x, y + h * 0.55, x + w * 0.55, y],
        [x + w * 0.45, y + h, x + w, y + h * 0.45],
      ],
    },
  ],
  "page-table": ({ x, y, w, h }) => [
    {
      kind: "lines",
      stroke: "notch",
      lines: [
        [x + w / 2, y, x + w / 2, y + h],
        [x, y + h / 2, x + w, y + h / 2],
      ],
    },
  ],
  huge: (a) => [box(shrink(a, 1.5), 0, null, "notch")],
  reserved: ({ x, y, w, h }) => [
    {
      kind: "lines",
      stroke: "notch",
      lines: [
        [x + w * 0.25, y + h * 0.25, x + w * 0.75, y + h * 0.75],
        [x + w * 0.75, y + h * 0.25, x + w * 0.25, y + h * 0.75],
      ],
    },
  ],
};

/** The pieces of a tile of a state, back to front. */
export function tilePieces(token: string, x: number, y: number, w: number, h: number): Piece[] {
  const whole: Area = { x, y, w, h };
  if (token === "free") return [box(shrink(whole, 0.5), 1, "free", "rule-2")];
  if (token === "isolated") return [box(shrink(whole, 0.75), 1, "isolated", "ink-1", 1.5)];
  const area = token.endsWith("-inactive") ? shrink(whole, Math.max(0.5, w * 0.07)) : whole;
  const radius = token.startsWith("anon") ? Math.min(area.w, area.h) / 2 : Math.min(1, w * 0.1);
  return [box(area, radius, token, "tile-edge", 0.75), ...(CUTS[token]?.(area) ?? [])];
}

/** Narrower tiles have space for only one line. */
const LEAST_HATCHED_PX = 6;

/** Lines across a tile whose page is marked for a hinting fault; visible on every state. */
export function hatchPieces(x: number, y: number, w: number): Piece[] {
  if (w < LEAST_HATCHED_PX)
    return [{ kind: "lines", stroke: "ink-1", lines: [[x, y + w, x + w, y]] }];
  const across = [0.35, 0.75, 1.15, 1.55].map((at): readonly [number, number, number, number] => {
    const [low, high] = [Math.max(0, at - 1), Math.min(1, at)];
    return [x + low * w, y + high * w, x + high * w, y + low * w];
  });
  const beside = across.map(([x1, y1, x2, y2]) => [x1 + 1, y1, x2 + 1, y2] as const);
  return [
    { kind: "lines", stroke: "ground", lines: beside },
    { kind: "lines", stroke: "ink-1", lines: across },
  ];
}

/** Colours by token, in the current theme. */
export type Palette = Readonly<Record<string, string>>;

/** Draws pieces on a canvas whose unit is a CSS pixel. */
export function paintPieces(
  g: CanvasRenderingContext2D,
  pieces: readonly Piece[],
  palette: Palette,
) {
  for (const piece of pieces) {
    if (piece.kind === "box") paintBox(g, piece, palette);
    else if (piece.kind === "path") {
      g.beginPath();
      for (const [x, y] of piece.points) g.lineTo(x, y);
      g.closePath();
      g.fillStyle = palette[piece.fill] ?? "";
      g.fill();
    } else {
      g.beginPath();
      for (const [x1, y1, x2, y2] of piece.lines) {
        g.moveTo(x1, y1);
        g.lineTo(x2, y2);
      }
      g.strokeStyle = palette[piece.stroke] ?? "";
      g.lineWidth = 1;
      g.stroke();
    }
  }
}

function paintBox(
  g: CanvasRenderingContext2D,
  piece: Extract<Piece, { kind: "box" }>,
  palette: Palette,
) {
  const { x, y, width, height, radius, fill, stroke, stroke_px } = piece;
  g.beginPath();
  if (radius > 0.5) g.roundRect(x, y, width, height, radius);
  else g.rect(x, y, width, height);
  if (fill) {
    g.fillStyle = palette[fill] ?? "";
    g.fill();
  }
  const edge = stroke ? palette[stroke] : undefined;
  if (edge && edge !== "transparent") {
    g.strokeStyle = edge;
    g.lineWidth = stroke_px;
    g.stroke();
  }
}
