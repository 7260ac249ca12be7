import { countOf, decadesOf, latencyBars, latencyTicks, medianOf } from "../draw/latencies";
import { count, duration } from "../engine/format";
import type { RoundsView } from "../engine/types";
import { ROUNDS } from "./words";

const BARS = { width: 180, height: 20 };

/** The duration of each round that a program timed: bars on a logarithmic axis. */
export function Rounds({ rounds: { name, took } }: { rounds: RoundsView }) {
  const decades = decadesOf([took]);
  const half_ns = medianOf(took);
  if (!decades || half_ns === null) {
    return <figure className="rounds cap">{ROUNDS.noneTimedSoFar(name)}</figure>;
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
          aria-label={ROUNDS.onLogarithmicAxisFromTo(words, from, to)}
        >
          {latencyTicks(decades, BARS.width).map(({ x, ns }) => (
            <path key={ns} className="tick" d={`M${x} 0V${BARS.height}`} />
          ))}
          {latencyBars(took, decades, BARS).map(
            ({ x, width, height, from_ns, to_ns, count: many }) => (
              <rect key={x} x={x} y={BARS.height - height} width={width} height={height}>
                <title>{ROUNDS.fromTo(many, from_ns, to_ns)}</title>
              </rect>
            ),
          )}
        </svg>
        <span className="cap">{to}</span>
      </div>
    </figure>
  );
}
