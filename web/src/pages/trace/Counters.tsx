import { useState } from "react";
import type { Capture } from "../../engine/capture/answers";
import { count } from "../../engine/format";
import { type Compared, ratioOf } from "./twin";
import { COUNTERS } from "./words";

/** The most rows that are shown at first. */
const FIRST_ROWS = 24;

interface CounterValues {
  readonly name: string;
  readonly cells: readonly string[];
}

/** The growth of the counters of /proc/vmstat, next to those of the twin if it ran. */
export function Counters({
  counters,
  compared,
}: {
  counters: Capture["counters"];
  compared: readonly Compared[] | null;
}) {
  const [isAll, setAll] = useState(false);
  const rows = compared ? comparedRows(compared) : grownRows(counters);
  const heads = compared
    ? [COUNTERS.counter, COUNTERS.machine, COUNTERS.twin, COUNTERS.ratio]
    : [COUNTERS.counter, COUNTERS.before, COUNTERS.after, COUNTERS.increase];
  const visible = isAll ? rows : rows.slice(0, FIRST_ROWS);
  return (
    <section className="trace-counters" aria-labelledby="trace-counters">
      <h2 id="trace-counters">{COUNTERS.counters}</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling table must be reachable by keyboard */}
      <section className="trace-scroll" aria-label={COUNTERS.countersOfProcVmstat} tabIndex={0}>
        <table className="trace-table">
          <thead>
            <tr>
              {heads.map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {visible.map(({ name, cells }) => (
              <tr key={name}>
                <th scope="row">
                  <code>{name}</code>
                </th>
                {cells.map((cell, i) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: columns are in their order
                  <td key={i} className="num">
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {rows.length > FIRST_ROWS && (
        <button
          type="button"
          className="btn line"
          aria-expanded={isAll}
          onClick={() => setAll(!isAll)}
        >
          {isAll ? COUNTERS.showFewer : COUNTERS.showAll(rows.length)}
        </button>
      )}
    </section>
  );
}

const grownRows = (counters: Capture["counters"]): CounterValues[] =>
  counters
    .filter(({ before, after }) => before !== after)
    .sort((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before))
    .map(({ name, before, after }) => ({
      name,
      cells: [count(before), count(after), signed(after - before)],
    }));

const signed = (by: number): string => (by < 0 ? `−${count(-by)}` : `+${count(by)}`);

const comparedRows = (compared: readonly Compared[]): CounterValues[] =>
  compared.map((one) => {
    const ratio = ratioOf(one);
    return {
      name: one.name,
      cells: [count(one.real), count(one.simulated), ratio === null ? "–" : ratio.toFixed(2)],
    };
  });
