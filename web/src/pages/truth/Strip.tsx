// A twin's counters on one axis, each at its ratio to the real run.

import { scaleLog } from "d3-scale";
import type { CounterRow } from "../../engine/load-truth";
import { FAR, isFar, STRIP } from "./words";

const WIDTH = 360;
const HEIGHT = 34;
const MOST = 8;
const x = scaleLog([1 / MOST, MOST], [10, WIDTH - 10]).clamp(true);

/** The counters on the axis; the band marks a factor of 1.5 around the real run. */
export function Strip({ counters, name }: { counters: readonly CounterRow[]; name: string }) {
  const far = counters.filter(({ ratio }) => isFar(ratio)).length;
  return (
    <svg
      className="strip"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={STRIP.countersOf(name, counters.length - far, far)}
    >
      <rect className="band" x={x(1 / FAR)} width={x(FAR) - x(1 / FAR)} y={2} height={18} />
      <line className="same" x1={x(1)} x2={x(1)} y1={0} y2={22} />
      {counters.map(({ name, ratio }) => (
        <Mark key={name} ratio={ratio} />
      ))}
      {[1 / MOST, 1 / 2, 1, 2, MOST].map((tick) => (
        <text key={tick} x={x(tick)} y={HEIGHT - 2} textAnchor="middle">
          {tick < 1 ? `1/${Math.round(1 / tick)}` : tick}
        </text>
      ))}
    </svg>
  );
}

/** A ratio far from 1 is drawn as a cross, so that the position is not the only sign. */
function Mark({ ratio }: { ratio: number | null }) {
  const at = x(Math.max(ratio ?? 1 / MOST, 1 / MOST));
  return isFar(ratio) ? (
    <path className="far" d={`M${at - 4},7l8,8m0,-8l-8,8`} />
  ) : (
    <circle className="near" cx={at} cy={11} r={3} />
  );
}
