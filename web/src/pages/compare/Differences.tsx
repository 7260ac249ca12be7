// The growth of each counter of both runs over a range, as a table that can be sorted.

import { memo, useEffect, useMemo, useState } from "react";
import { usePair, usePairState } from "../../app/pair/context";
import type { PairMoment } from "../../app/pair/pair";
import { count } from "../../engine/format";
import { CpuTime } from "./CpuTime";
import { barOf, type Difference, differencesOf, ratioOf, type SortBy, sorted } from "./differences";
import { useSessions } from "./series";
import { TABLE } from "./words";

interface Sorting {
  readonly by: SortBy;
  readonly isDescending: boolean;
}

/** The table, and its range. */
export function Differences({
  drawable,
  drawn,
  draw,
}: {
  /** Counters that can be drawn over time. */
  drawable: readonly string[];
  drawn: readonly string[];
  draw: (name: string) => void;
}) {
  const pair = usePair();
  const from = usePairState((state) => state.from);
  const to = usePairState((state) => state.to);
  const present = usePresent();
  const [sorting, setSorting] = useState<Sorting>({ by: "ratio", isDescending: true });
  const [hasEqual, setHasEqual] = useState(false);
  const end = to ?? present;
  const all = useMemo(() => (end ? differencesOf(from, end) : []), [from, end]);
  const rows = useMemo(() => {
    const shown = all.filter(({ by, a, b }) => (hasEqual ? a !== 0 || b !== 0 : by !== 0));
    return sorted(shown, sorting.by, sorting.isDescending);
  }, [all, hasEqual, sorting]);
  if (!end) return null;
  const equal = all.filter(({ by }) => by === 0).length;
  return (
    <>
      <section className="compare-table" aria-labelledby="compare-table-title">
        <h2 id="compare-table-title">{TABLE.title}</h2>
        <p className="dim">{TABLE.about(wordsOf(from, TABLE.start), wordsOf(to, TABLE.present))}</p>
        <div className="compare-range">
          <button type="button" className="btn line" onClick={() => pair.setEnd("from")}>
            {TABLE.setFrom} <kbd>I</kbd>
          </button>
          <button type="button" className="btn line" onClick={() => pair.setEnd("to")}>
            {TABLE.setTo} <kbd>O</kbd>
          </button>
          {(from || to) && (
            <button
              type="button"
              className="btn line"
              onClick={() => {
                pair.setEnd("from", null);
                pair.setEnd("to", null);
              }}
            >
              {TABLE.whole}
            </button>
          )}
          <label>
            <input
              type="checkbox"
              checked={hasEqual}
              onChange={({ currentTarget }) => setHasEqual(currentTarget.checked)}
            />{" "}
            {TABLE.showEqual}
          </label>
        </div>
        {rows.length === 0 ? (
          <p>{TABLE.allEqual}</p>
        ) : (
          <Table rows={rows} {...{ sorting, setSorting, drawable, drawn, draw }} />
        )}
        {!hasEqual && equal > 0 && <p className="dim">{TABLE.hidden(equal)}</p>}
      </section>
      <CpuTime from={from} to={end} />
    </>
  );
}

/** The present moment; during playback the one at which it began, so that the table can be read. */
function usePresent(): PairMoment | null {
  const pair = usePair();
  const isPlaying = usePairState((state) => state.isPlaying);
  const sessions = useSessions();
  const [last, setLast] = useState<PairMoment | null>(null);
  useEffect(() => {
    if (!isPlaying && sessions) setLast(pair.moment());
  }, [pair, isPlaying, sessions]);
  return last;
}

const wordsOf = (moment: PairMoment | null, otherwise: string) =>
  moment ? TABLE.moment(moment.a.position.time_ns, moment.b.position.time_ns) : otherwise;

const COLUMNS: readonly (readonly [SortBy, string])[] = [
  ["name", TABLE.counter],
  ["a", TABLE.a],
  ["b", TABLE.b],
  ["by", TABLE.difference],
  ["ratio", TABLE.ratio],
];

const Table = memo(function Table({
  rows,
  sorting,
  setSorting,
  drawable,
  drawn,
  draw,
}: {
  rows: readonly Difference[];
  sorting: Sorting;
  setSorting: (sorting: Sorting) => void;
  drawable: readonly string[];
  drawn: readonly string[];
  draw: (name: string) => void;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable
    <section className="compare-scroll" tabIndex={0} aria-label={TABLE.title}>
      <table>
        <thead>
          <tr>
            {COLUMNS.map(([by, words]) => (
              <th
                key={by}
                scope="col"
                aria-sort={
                  sorting.by === by ? (sorting.isDescending ? "descending" : "ascending") : "none"
                }
              >
                <button
                  type="button"
                  className="btn"
                  onClick={() =>
                    setSorting({
                      by,
                      isDescending: sorting.by === by ? !sorting.isDescending : by !== "name",
                    })
                  }
                >
                  {words}
                  <span aria-hidden="true">
                    {sorting.by === by ? (sorting.isDescending ? " ↓" : " ↑") : ""}
                  </span>
                </button>
              </th>
            ))}
            <th scope="col">{TABLE.bars}</th>
            <th scope="col">{TABLE.draw}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <th scope="row">
                <code>{row.name}</code>
              </th>
              <td className="compare-dim">{count(row.a)}</td>
              <td>{count(row.b)}</td>
              <td>{signed(row.by)}</td>
              <td>
                <b>{ratioWords(row)}</b>
              </td>
              <td>
                <Bar row={row} />
              </td>
              <td>
                {drawable.includes(row.name) && (
                  <input
                    type="checkbox"
                    aria-label={TABLE.drawIt(row.name)}
                    checked={drawn.includes(row.name)}
                    onChange={() => draw(row.name)}
                  />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
});

const signed = (by: number) => (by === 0 ? "0" : by > 0 ? `+${count(by)}` : `\u2212${count(-by)}`);

function ratioWords(row: Difference): string {
  const ratio = ratioOf(row);
  if (ratio === 1) return TABLE.same;
  if (ratio === Number.POSITIVE_INFINITY) return TABLE.fromZero;
  if (ratio === 0) return TABLE.toZero;
  const percent = (ratio - 1) * 100;
  const size = Math.abs(percent);
  const words = size >= 10 ? count(Math.round(size)) : size.toPrecision(2);
  return `${percent > 0 ? "+" : "\u2212"}${words}\u00a0%`;
}

const BAR_PX = 120;

/** B over A on a log scale around "same". */
function Bar({ row }: { row: Difference }) {
  const middle = BAR_PX / 2;
  const reach = (barOf(row) * BAR_PX) / 2;
  return (
    <svg
      className="compare-bar"
      width={BAR_PX}
      height={12}
      role="img"
      aria-label={TABLE.barWords(ratioWords(row))}
    >
      <path d={`M${middle + 0.5} 0v12`} />
      <rect x={Math.min(middle, middle + reach)} y={3} width={Math.abs(reach)} height={6} />
    </svg>
  );
}
