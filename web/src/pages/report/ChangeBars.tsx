// The change of a row, published and simulated, as two bars on a logarithmic axis.

import { changeBar } from "../../draw/change";
import type { Compared } from "../../engine/report";
import { valueWords } from "./words";

/** Height of a bar, px. */
const BAR = 7;

/**
 * Two bars from "no change": filled for published, outlined for simulated. The words are next to
 * them.
 */
export function Bars({ row, place, width }: { row: Compared; place: number; width: number }) {
  const { published, simulated } = row;
  const bars = [
    changeBar(published[0] ?? null, published[place] ?? null, width),
    changeBar(simulated[0] ?? null, simulated[place] ?? null, width),
  ];
  return (
    <svg className="change-axis" width={width} height="20" aria-hidden="true">
      <path d={`M${width / 2} 0v20`} stroke="var(--rule-2)" />
      {bars.map(
        (bar, i) =>
          bar && (
            <g
              key={i === 0 ? "published" : "simulated"}
              transform={`translate(0 ${i === 0 ? 3 : 11})`}
            >
              <rect
                x={bar.x + (i === 0 ? 0 : 0.5)}
                y={i === 0 ? 0 : 0.5}
                width={Math.max(0, bar.width - (i === 0 ? 0 : 1))}
                height={BAR - (i === 0 ? 0 : 1)}
                fill={i === 0 ? "var(--ink-1)" : "var(--ground)"}
                stroke={i === 0 ? "none" : "var(--ink-1)"}
              />
              {bar.beyond && (
                <path
                  d={bar.beyond === "left" ? "M6-1 0 3l6 4" : `M${width - 6}-1 ${width} 3l-6 4`}
                  fill="none"
                  stroke="var(--ink-3)"
                  strokeWidth="1.5"
                />
              )}
            </g>
          ),
      )}
    </svg>
  );
}

/** A legend of the two bars. */
export function Key() {
  return (
    <span className="key">
      <i className="full" /> published <i /> simulated
    </span>
  );
}

/** Below a median, the smallest and the largest value of its seeds. */
export function SpreadOf({ row: { spreads }, place }: { row: Compared; place: number }) {
  const spread = spreads?.[place];
  if (!spread) return null;
  return <small className="spread">{spread.map(valueWords).join(" to ")}</small>;
}
