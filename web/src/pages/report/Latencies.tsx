import { type LogAxis, logAxis } from "../../draw/log-axis";
import { count } from "../../engine/format";
import type { Compared } from "../../engine/report";
import { latencyGroups } from "./latencies";

const WIDTH = 560;
const ROW = 18;
const HEAD = 18;
/** The margins of the axis, so that marks at its ends are not clipped. */
const MARGIN = 8;

/**
 * Latencies on one logarithmic axis: filled marks for published values, outlined ones for simulated
 * values.
 */
export function Latencies({
  kernels,
  rows,
}: {
  kernels: readonly string[];
  rows: readonly Compared[];
}) {
  const groups = latencyGroups(rows);
  const values = rows.flatMap(({ published, simulated }) => [
    ...published.filter(Number.isFinite),
    ...simulated,
  ]);
  const axis = logAxis(values, WIDTH - 2 * MARGIN);
  if (groups.length === 0 || !axis) return null;
  return (
    <figure className="latencies">
      <figcaption>
        Latencies in ms on one logarithmic axis.{" "}
        {kernels.map((kernel, place) => (
          <span key={kernel} className="of-kernel">
            <Sample place={place} isFull />
            <Sample place={place} isFull={false} /> {kernel}: published filled, simulated open
          </span>
        ))}
      </figcaption>
      <div className="scroll">
        <table>
          <tbody>
            {groups.map(({ what, lines }) => (
              <tr key={what}>
                <th scope="row">
                  {what}
                  {lines.map(({ name }) => (
                    <small key={name}>{name}</small>
                  ))}
                </th>
                <td>
                  <Strip axis={axis} kernels={kernels} rows={lines.map(({ row }) => row)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

/** The marks of one group, one line below the other; the table has the numbers. */
function Strip({
  axis,
  kernels,
  rows,
}: {
  axis: LogAxis;
  kernels: readonly string[];
  rows: readonly Compared[];
}) {
  const height = HEAD + rows.length * ROW;
  return (
    <svg width={WIDTH} height={height} aria-hidden="true">
      <g transform={`translate(${MARGIN} 0)`}>
        {axis.ticks.map(({ value, x }) => (
          <g key={value}>
            <path d={`M${x} ${HEAD}V${height}`} stroke="var(--rule-2)" />
            <text x={x} y={HEAD - 6} textAnchor="middle">
              {count(value)}
            </text>
          </g>
        ))}
        {rows.map(({ metric, published, simulated }, i) => (
          <g key={metric} transform={`translate(0 ${HEAD + (i + 0.5) * ROW})`}>
            {kernels.map((kernel, place) => (
              <g key={kernel}>
                <MarkAt axis={axis} value={published[place] ?? null} place={place} isFull />
                <MarkAt axis={axis} value={simulated[place] ?? null} place={place} isFull={false} />
              </g>
            ))}
          </g>
        ))}
      </g>
    </svg>
  );
}

function MarkAt({
  axis,
  value,
  place,
  isFull,
}: {
  axis: LogAxis;
  value: number | null;
  place: number;
  isFull: boolean;
}) {
  const x = Number.isNaN(value) ? null : axis.place(value);
  return x === null ? null : <path transform={`translate(${x} 0)`} {...shape(place, isFull)} />;
}

/** A sample of a mark in the caption. */
function Sample({ place, isFull }: { place: number; isFull: boolean }) {
  return (
    <svg width="12" height="12" viewBox="-6 -6 12 12" aria-hidden="true">
      <path {...shape(place, isFull)} />
    </svg>
  );
}

/** Shapes distinguish kernels: a disc for the baseline, squares for others. */
const shape = (place: number, isFull: boolean) => ({
  d: place === 0 ? "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0" : "M-4-4h8v8h-8z",
  fill: isFull ? "var(--ink-1)" : "none",
  stroke: "var(--ink-1)",
  strokeWidth: 1.5,
});
