import { changeWords } from "../../draw/change";
import { counted } from "../../engine/format";
import type { Compared, RunReport, Scoring } from "../../engine/report";
import { measuredOf } from "../../lessons/full-size";
import type { Doubt, Size } from "../../lessons/publications";
import type { PublishedTable } from "../../lessons/schema";
import { isSpokenOf, type Unscaled, unscaledIn } from "./sizes";
import { valueWords } from "./words";

/** How many changes agree, as counted by the engine. */
export function Totals({ scoring, size }: { scoring: Scoring | null; size: Size }) {
  if (!scoring || scoring.scores.scored === 0) return null;
  const { scored, agree, moving, moving_agree, ratio, within2 } = scoring.scores;
  return (
    <section
      className="totals"
      aria-label={size === "full" ? "Totals, full size" : "Totals, teaching size"}
    >
      <p>
        <b>
          {agree} of {scored}
        </b>{" "}
        changes agree in direction
      </p>
      {moving > 0 && (
        <p>
          <b>
            {moving_agree} of {moving}
          </b>{" "}
          agree where the published value changes by more than 5 %
        </p>
      )}
      {size === "full" && (
        <p>
          <b>
            {within2} of {ratio}
          </b>{" "}
          sizes of changes within a factor of two
        </p>
      )}
    </section>
  );
}

const REASONS: Readonly<Record<Unscaled, string>> = {
  time: "Times: the disk and the CPUs are as fast as those of a full-size machine.",
  rate: "Rates: they divide smaller counts by times that are not scaled.",
  count: "Counts: they grow with memory and files; batch sizes and sleep times are not scaled.",
  writeback:
    "Efficiency: the share of scanned pages that reclaim can free depends on how many pages are under writeback, and so on the speed of the disk.",
};

/** The names of the rows that cannot be compared at this size. */
export function LeftOut({ table, size }: { table: PublishedTable; size: Size }) {
  const isShown = isSpokenOf(table, size);
  const rows = table.rows.filter((row) => !isShown(row));
  if (rows.length === 0) return null;
  const reasons = Object.keys(REASONS) as Unscaled[];
  return (
    <section className="left-out" aria-labelledby="left-out">
      <h3 id="left-out">Left out at teaching size</h3>
      <p>
        {rows.length} of {counted(table.rows.length, "row")}; their full-size values are in the
        table below. Memory, watermarks and workload of the teaching machine are in proportion. A
        row that depends on anything else cannot be compared.
      </p>
      <dl>
        {reasons.map((reason) => {
          const names = rows.filter((row) => unscaledIn(row) === reason);
          if (names.length === 0) return null;
          return (
            <div key={reason}>
              <dt>{REASONS[reason]}</dt>
              <dd>{names.map(({ metric }) => metric).join(", ")}</dd>
            </div>
          );
        })}
      </dl>
    </section>
  );
}

/** Rows that are shown but not scored, with the reason. */
export function Unscored({ rows }: { rows: readonly Compared[] }) {
  const unscored = rows.filter(({ unscored }) => unscored !== undefined);
  if (unscored.length === 0) return null;
  return (
    <section className="left-out" aria-labelledby="unscored">
      <h2 id="unscored">Shown, not scored</h2>
      <dl>
        {unscored.map(({ metric, unscored }) => (
          <div key={metric}>
            <dt>{metric}</dt>
            <dd>{unscored}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/**
 * Rows that two rules count differently: the published values by the first rule, the simulated ones
 * by both.
 */
export function CountedTwice({
  table: { kernels, rows },
  results,
}: {
  table: PublishedTable;
  results: Readonly<Record<string, Pick<RunReport, "rows">>>;
}) {
  const counted = rows.filter((row) => row.counted);
  const ran = kernels.filter((kernel) => results[kernel]);
  if (counted.length === 0 || ran.length === 0) return null;
  return (
    <section className="counted" aria-labelledby="counted">
      <h2 id="counted">Counted by two rules</h2>
      <p>
        The table above counts pages as the source’s script did. This table shows the same runs
        counted by that rule and by a second one.
      </p>
      <div className="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">metric</th>
              <th scope="col">counted by</th>
              {ran.map((kernel) => (
                <th key={kernel} scope="col">
                  {kernel}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {counted.flatMap((row) =>
              row.counted?.map(({ by, metric }) => (
                <tr key={metric}>
                  <th scope="row">{row.metric}</th>
                  <td>{by}</td>
                  {ran.map((kernel) => (
                    <td key={kernel}>{valueWords(measuredOf(results[kernel]?.rows, metric))}</td>
                  ))}
                </tr>
              )),
            )}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** Every change in the opposite direction of the published one, in plain words. */
export function Differences({
  table: { kernels },
  rows,
  scoring,
  doubts,
}: {
  table: PublishedTable;
  rows: readonly Compared[];
  scoring: Scoring | null;
  doubts: readonly Doubt[];
}) {
  if (!scoring) return null;
  const differing = rows
    .map((row, r) => ({
      row,
      places: kernels.flatMap((_, place) => {
        const cell = scoring.cells[r]?.[place];
        return typeof cell === "object" && !cell.agrees ? [place] : [];
      }),
    }))
    .filter(({ places }) => places.length > 0);
  const isDiffering = (metric: string) => differing.some(({ row }) => row.metric === metric);
  return (
    <section className="differences" aria-labelledby="differences">
      <h2 id="differences">Where the results differ</h2>
      {differing.length === 0 ? (
        <p>Every scored change has the published direction.</p>
      ) : (
        <>
          <p>
            {differing.length} of {counted(rows.length, "row")}{" "}
            {differing.length === 1 ? "has" : "have"} a change whose direction differs from the
            published one. Where no reason is given, none is known.
          </p>
          <ul>
            {differing.map(({ row, places }) => (
              <li key={row.metric}>
                <b>{row.metric}</b>
                {places.map((place) => (
                  <span key={kernels[place]}>
                    {" "}
                    {kernels[place]}: published{" "}
                    {changeWords(row.published[0] ?? null, row.published[place] ?? null)}, simulated{" "}
                    {changeWords(row.simulated[0] ?? null, row.simulated[place] ?? null)}.
                  </span>
                ))}{" "}
                <span className="why-not">{suspected(doubts, row.metric)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      <Noted doubts={doubts.filter(({ metric }) => !isDiffering(metric))} />
    </section>
  );
}

/** Notes on rows that change in the published direction but by a different amount. */
function Noted({ doubts }: { doubts: readonly Doubt[] }) {
  if (doubts.length === 0) return null;
  return (
    <>
      <p>Rows that agree in direction but not in size, with the suspected reason:</p>
      <ul>
        {doubts.map(({ metric, suspect }) => (
          <li key={metric}>
            <b>{metric}</b> <span className="why-not">Suspected: {suspect}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function suspected(doubts: readonly Doubt[], metric: string): string | undefined {
  const doubt = doubts.find((each) => each.metric === metric);
  return doubt && `Suspected: ${doubt.suspect}`;
}
