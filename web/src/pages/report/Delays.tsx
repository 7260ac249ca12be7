import { count } from "../../engine/format";
import type { PublishedTable } from "../../lessons/schema";
import { useFit } from "../../ui/fit";
import type { Result } from "./controller";
import { type Delayed, delaysOf } from "./waits";
import { valueWords } from "./words";

/** How long reclaimers were made to wait, kernel beside kernel; nothing where none was. */
export function Delays({
  table,
  results,
}: {
  table: PublishedTable;
  results: Readonly<Record<string, Result>>;
}) {
  const { look } = useFit();
  const isNarrow = look === "narrow" || look === "phone";
  const all = delaysOf(table.kernels, results);
  if (all.length === 0) return null;
  return (
    <section className="delays" aria-labelledby="delays">
      <h2 id="delays">How long reclaimers were made to wait</h2>
      <p>
        Waits of the simulated runs, counted by their ticks. Bars are shares of a kernel’s waits.
      </p>
      {all.flatMap((delayed) =>
        inGroups(delayed.kernels, isNarrow ? 3 : delayed.kernels.length).map((kernels) => (
          <Waits key={`${delayed.id} ${kernels[0]?.kernel}`} delayed={{ ...delayed, kernels }} />
        )),
      )}
    </section>
  );
}

/** Rows of so many. */
const inGroups = <T,>(all: readonly T[], many: number): readonly (readonly T[])[] =>
  all.length <= many ? [all] : [all.slice(0, many), ...inGroups(all.slice(many), many)];

function Waits({ delayed: { what, who, timeout_ms, bins, kernels } }: { delayed: Delayed }) {
  return (
    <table>
      <caption>
        <b>{what}</b>, {who}, {valueWords(timeout_ms)} ms at most
      </caption>
      <thead>
        <tr>
          <th scope="col">waited</th>
          {kernels.map(({ kernel }) => (
            <th scope="col" key={kernel}>
              {kernel}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {bins.map((bin, i) => (
          <tr key={bin}>
            <th scope="row">{bin}</th>
            {kernels.map(({ kernel, counts, events }) => (
              <td key={kernel}>
                <i aria-hidden="true">
                  <i style={{ width: `${(100 * (counts[i] ?? 0)) / Math.max(1, events)}%` }} />
                </i>
                {count(counts[i] ?? 0)}
              </td>
            ))}
          </tr>
        ))}
        <tr className="sum">
          <th scope="row">together, s</th>
          {kernels.map(({ kernel, sum_s }) => (
            <td key={kernel}>{valueWords(sum_s)}</td>
          ))}
        </tr>
      </tbody>
    </table>
  );
}
