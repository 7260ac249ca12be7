import { countOf, decadesOf, latencyBars, latencyTicks, medianOf } from "../draw/latencies";
import { count, duration } from "../engine/format";
import type { RoundsView } from "../engine/types";

const BARS = { width: 180, height: 20 };

/** The duration of each round that a program timed: bars on a logarithmic axis. */
export function Rounds({ rounds: { name, took } }: { rounds: RoundsView }) {
  const decades = decadesOf([took]);
  const half_ns = medianOf(took);
  if (!decades || half_ns === null) {
    return <figure className="rounds cap">{name}: none timed so far</figure>;
  }
  const words = `${name}: ${count(countOf(took))} timed, median ${duration(half_ns)}`;
  const [from, to] = decades.map((decade) => duration(10 ** decade));
  return (
    <figure className="rounds">
      <figcaption className="cap">{words}</figcaption>
      <div className="axis">
        <span className="cap">{from}</span>
        <svg
          viewBox={`0 0 ${BARS.width} ${BARS.height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${words}; on a logarithmic axis from ${from} to ${to}`}
        >
          {latencyTicks(decades, BARS.width).map(({ x, ns }) => (
            <path key={ns} className="tick" d={`M${x} 0V${BARS.height}`} />
          ))}
          {latencyBars(took, decades, BARS).map(
            ({ x, width, height, from_ns, to_ns, count: many }) => (
              <rect key={x} x={x} y={BARS.height - height} width={width} height={height}>
                <title>{`${count(many)} from ${duration(from_ns)} to ${duration(to_ns)}`}</title>
              </rect>
            ),
          )}
        </svg>
        <span className="cap">{to}</span>
      </div>
    </figure>
  );
}
