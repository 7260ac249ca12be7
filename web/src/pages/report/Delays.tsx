import { count } from "../../engine/format";
import type { PublishedDelays } from "../../lessons/publications";
import type { PublishedTable } from "../../lessons/schema";
import type { Result } from "../../runs/results";
import { useFit } from "../../ui/fit";
import { type Delayed, delaysOf, mailLines } from "./waits";
import { valueWords } from "./words";

/** How long reclaimers waited, with the kernels side by side; empty if no reclaimer waited. */
export function Delays({
  table,
  results,
  published,
}: {
  table: PublishedTable;
  results: Readonly<Record<string, Pick<Result, "delays">>>;
  published?: PublishedDelays | undefined;
}) {
  const { look } = useFit();
  const isNarrow = look === "narrow" || look === "phone";
  const all = delaysOf(table.kernels, results, published);
  if (all.length === 0) return null;
  return (
    <section className="delays" aria-labelledby="delays">
      <h2 id="delays">How long reclaimers were throttled</h2>
      <p>
        Waits in the simulated runs{published && ", beside the published ones"}, grouped by length
        in ticks. Bars show shares of a kernel’s waits.
        {published &&
          " The source does not say which tasks waited in congestion_wait. Unpublished values have no bar."}
      </p>
      {all.flatMap((delayed) =>
        inGroups(delayed.kernels, isNarrow ? 3 : delayed.kernels.length).map((kernels) => (
          <Waits key={`${delayed.id} ${kernels[0]?.kernel}`} delayed={{ ...delayed, kernels }} />
        )),
      )}
    </section>
  );
}

/** Rows of a given length. */
const inGroups = <T,>(all: readonly T[], many: number): readonly (readonly T[])[] =>
  all.length <= many ? [all] : [all.slice(0, many), ...inGroups(all.slice(many), many)];

/** The sides of a kernel, published and simulated, that have data. */
const sidesOf = ({ kernel, published, simulated }: Delayed["kernels"][number]) => [
  ...(published ? [{ id: `p ${kernel}`, kernel, side: "published", waited: published }] : []),
  ...(simulated ? [{ id: `s ${kernel}`, kernel, side: "simulated", waited: simulated }] : []),
];

function Waits({ delayed: { what, who, timeout_ms, bins, kernels } }: { delayed: Delayed }) {
  const sides = kernels.flatMap(sidesOf);
  const isPublished = sides.some(({ side }) => side === "published");
  return (
    <>
      <table>
        <caption>
          <b>{what}</b>, {who}, timeout {valueWords(timeout_ms)} ms
        </caption>
        <thead>
          <tr>
            <th scope="col">wait</th>
            {sides.map(({ id, kernel, side }) => (
              <th scope="col" key={id}>
                {kernel}
                {isPublished && <small> {side}</small>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {bins.map((bin, i) => (
            <tr key={bin}>
              <th scope="row">{bin}</th>
              {sides.map(({ id, waited: { counts, events } }) => (
                <td key={id}>
                  <i aria-hidden="true">
                    <i style={{ width: `${(100 * (counts[i] ?? 0)) / Math.max(1, events)}%` }} />
                  </i>
                  {count(counts[i] ?? 0)}
                </td>
              ))}
            </tr>
          ))}
          <tr className="sum">
            <th scope="row">total, s</th>
            {sides.map(({ id, waited: { sum_s } }) => (
              <td key={id}>{valueWords(sum_s)}</td>
            ))}
          </tr>
        </tbody>
      </table>
      <details className="lines">
        <summary>
          All delays of {what}, {who}
        </summary>
        <div>
          {sides
            .filter(({ waited }) => waited.events > 0)
            .map(({ id, kernel, side, waited }) => (
              <figure key={id}>
                <figcaption>
                  {kernel}, {side}
                </figcaption>
                <pre>{mailLines(waited.bins).join("\n")}</pre>
              </figure>
            ))}
        </div>
      </details>
    </>
  );
}
