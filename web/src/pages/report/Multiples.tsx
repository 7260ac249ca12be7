// Small charts of a report with one scale: one for each row of the table, or one for each column.

import { useState } from "react";
import { AXIS_ENDS, changeWords } from "../../draw/change";
import type { Compared } from "../../engine/report";
import { Bars, Key } from "./ChangeBars";
import { MULTIPLES } from "./column-words";
import "./multiples.css";

/** Width of the bars of a small chart, px. */
const WIDTH = 120;

interface Line {
  readonly name: string;
  readonly row: Compared;
  readonly place: number;
}

interface Chart {
  readonly name: string;
  readonly about: string;
  readonly lines: readonly Line[];
}

/** The charts of a table. */
function chartsOf(
  kernels: readonly string[],
  rows: readonly Compared[],
  by: "row" | "column",
): Chart[] {
  const others = kernels.slice(1).map((name, i) => ({ name, place: i + 1 }));
  if (by === "row") {
    return rows.map((row) => ({
      name: row.metric,
      about: MULTIPLES.chart(row.metric),
      lines: others.map((other) => ({ ...other, row })),
    }));
  }
  return others.map(({ name, place }) => ({
    name,
    about: MULTIPLES.columnChart(name),
    lines: rows.map((row) => ({ name: row.metric, row, place })),
  }));
}

/** All changes of a table as small charts. */
export function Multiples({
  kernels,
  rows,
}: {
  kernels: readonly string[];
  rows: readonly Compared[];
}) {
  const [by, setBy] = useState<"row" | "column">("row");
  return (
    <details className="multiples">
      <summary>{MULTIPLES.title}</summary>
      <fieldset className="seg" aria-label={MULTIPLES.by}>
        {(["row", "column"] as const).map((one) => (
          <button key={one} type="button" aria-pressed={by === one} onClick={() => setBy(one)}>
            {MULTIPLES.by} {MULTIPLES[one]}
          </button>
        ))}
      </fieldset>
      <p>
        {MULTIPLES.about(kernels[0] ?? "", AXIS_ENDS)} <Key />
      </p>
      <div className={`charts by-${by}`}>
        {chartsOf(kernels, rows, by).map(({ name, about, lines }) => (
          <figure key={name}>
            <figcaption>{name}</figcaption>
            <table>
              <caption className="sr">{about}</caption>
              <tbody>
                {lines.map(({ name: line, row, place }) => (
                  <tr key={line}>
                    <th scope="row">{line}</th>
                    <td>
                      <Bars row={row} place={place} width={WIDTH} />
                    </td>
                    <td className="change-words">
                      <b>{changeWords(row.published[0] ?? null, row.published[place] ?? null)}</b>
                      <span>
                        {changeWords(row.simulated[0] ?? null, row.simulated[place] ?? null)}
                      </span>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </figure>
        ))}
      </div>
    </details>
  );
}
