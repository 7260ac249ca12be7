import type { Piece } from "../draw/tile";
import { tilePieces } from "../draw/tile";

const paint = (token: string | null) => (token ? `var(--${token})` : "none");

function Mark({ piece }: { piece: Piece }) {
  if (piece.kind === "box") {
    const { x, y, width, height, radius, fill, stroke, stroke_px } = piece;
    return (
      <rect
        x={x}
        y={y}
        width={width}
        height={height}
        rx={radius}
        fill={paint(fill)}
        stroke={paint(stroke)}
        strokeWidth={stroke_px}
      />
    );
  }
  if (piece.kind === "path") {
    return (
      <polygon points={piece.points.map((p) => p.join()).join(" ")} fill={paint(piece.fill)} />
    );
  }
  const d = piece.lines.map(([x1, y1, x2, y2]) => `M${x1} ${y1}L${x2} ${y2}`).join("");
  return <path d={d} stroke={paint(piece.stroke)} fill="none" />;
}

/** A tile of a page state, drawn next to its name. */
export function Swatch({ token, size_px = 11 }: { token: string; size_px?: number }) {
  return (
    <svg width={size_px} height={size_px} aria-hidden="true">
      {tilePieces(token, 0, 0, size_px, size_px).map((piece, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a tile never change order
        <Mark key={i} piece={piece} />
      ))}
    </svg>
  );
}
