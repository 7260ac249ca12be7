import {
  type Decades,
  decadesOf,
  type Latencies,
  latencyBars,
  latencyTicks,
  medianOf,
} from "../../draw/latencies";
import { count, duration } from "../../engine/format";
import { BLOCK_SOURCES, type BlockSource, type Took } from "./attempt";
import { ATTEMPT_SUMS } from "./words";

const BARS = { width: 150, height: 22 };

const WAY_WORDS: Readonly<Record<BlockSource, string>> = {
  free: ATTEMPT_SUMS.freeBlock,
  compaction: ATTEMPT_SUMS.directCompaction,
  reclaim: ATTEMPT_SUMS.reclaim,
  failure: ATTEMPT_SUMS.failed,
};

/** The number of attempts with each result, and how long they took. */
export function AttemptSums({ took }: { took: Took }) {
  const lies = (source: BlockSource): Latencies => took[source].map((ns) => [ns, 1] as const);
  const decades = decadesOf(BLOCK_SOURCES.map(lies));
  if (!decades) return <p className="else">{ATTEMPT_SUMS.noAttemptHasEnded}</p>;
  return (
    <table className="attempts">
      <thead>
        <tr>
          <th scope="col">{ATTEMPT_SUMS.outcome}</th>
          <th scope="col" className="num">
            {ATTEMPT_SUMS.count}
          </th>
          <th scope="col" className="num">
            {ATTEMPT_SUMS.median}
          </th>
          <th scope="col">
            <Axis decades={decades} />
          </th>
        </tr>
      </thead>
      <tbody>
        {BLOCK_SOURCES.map((source) => (
          <Row key={source} way={source} latencies={lies(source)} decades={decades} />
        ))}
      </tbody>
    </table>
  );
}

/** The ends of the time axis. */
function Axis({ decades }: { decades: Decades }) {
  const ticks = latencyTicks(decades, BARS.width);
  const [first, last] = [ticks[0], ticks.at(-1)];
  return (
    <span className="ends">
      <span>{first && duration(first.ns)}</span>
      <span>{last && duration(last.ns)}</span>
    </span>
  );
}

function Row({
  way: source,
  latencies,
  decades,
}: {
  way: BlockSource;
  latencies: Latencies;
  decades: Decades;
}) {
  const median = medianOf(latencies);
  const bars = latencyBars(latencies, decades, BARS);
  return (
    <tr>
      <th scope="row">{WAY_WORDS[source]}</th>
      <td className="num">{count(latencies.length)}</td>
      <td className="num">{median === null ? "" : duration(median)}</td>
      <td>
        <svg
          viewBox={`0 0 ${BARS.width} ${BARS.height}`}
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          {latencyTicks(decades, BARS.width).map(({ x, ns }) => (
            <path key={ns} className="tick" d={`M${x} 0V${BARS.height}`} />
          ))}
          {bars.map(({ x, width, height }) => (
            <rect key={x} x={x} y={BARS.height - height} width={width} height={height} />
          ))}
        </svg>
      </td>
    </tr>
  );
}
