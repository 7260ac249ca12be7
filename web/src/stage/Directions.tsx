import type { Direction } from "../draw/directions";
import { directionsOf } from "../draw/directions";
import type { View } from "../engine/types";

const HEIGHT_PX = 14;
/** The gap between columns, and the middle of a tank in its column. */
const GAP_PX = 4;
const MIDDLE_PX = 52;
/** The two lines keep their positions, whichever of the two acts. */
const Y = { kswapd: 3, allocator: 11 } as const;
const TEXT_Y = 11;

/**
 * Below the tanks: the directions in which the allocator and kswapd go through the zones while they
 * act.
 */
export function Directions({
  view,
  node,
  columns,
  zone_px,
  isWrapped,
}: {
  view: View;
  node: number;
  columns: readonly string[];
  zone_px: number;
  isWrapped: boolean;
}) {
  const all = directionsOf(view, node, columns);
  const words = all.map((one) => one.words).join("; ");
  if (isWrapped) return words;
  return (
    <svg
      width="100%"
      height={HEIGHT_PX}
      role={all.length > 0 ? "img" : undefined}
      aria-label={words || undefined}
      aria-hidden={all.length === 0}
    >
      {all.map((one) => (
        <Arrow key={one.who} {...one} pitch={zone_px + GAP_PX} />
      ))}
    </svg>
  );
}

function Arrow({ who, from, to, at, isOrdered, words, pitch }: Direction & { pitch: number }) {
  const x = (column: number) => column * pitch + MIDDLE_PX;
  const y = Y[who];
  const [start, end] = [x(from), x(to)];
  const direction = Math.sign(end - start);
  const ends = isOrdered
    ? `M${end - direction * 6} ${y - 3}L${end} ${y}L${end - direction * 6} ${y + 3}`
    : `M${start} ${y - 3}v6M${end} ${y - 3}v6`;
  return (
    <g className={`direction ${who}`}>
      <title>{words}</title>
      <path d={`M${start} ${y}H${end}`} />
      <path d={ends} />
      {at !== null && <circle cx={x(at)} cy={y} r="3.5" />}
      {/* The text is at the start of the line: next to the head it would be next to the other
          line's start. */}
      <text x={start - direction * 8} y={TEXT_Y} textAnchor={direction > 0 ? "end" : "start"}>
        {who}
      </text>
    </g>
  );
}
