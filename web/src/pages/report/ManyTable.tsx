// A table of many kernels: one column each, published over simulated, so that six fit side by side.

import { changeWords } from "../../draw/change";
import type { Cell, Compared, Scoring } from "../../engine/report";
import type { PublishedTable } from "../../lessons/schema";
import { Bars, Key, SpreadOf } from "./ChangeBars";
import { markOf, valueWords } from "./words";

/** Up to this number of kernels, each kernel has its own column on either side. */
export const FEW = 3;

/** Width of the bars next to a verdict, px. */
const NARROW = 52;

/** All rows; the first column is the baseline of the others. */
export function ManyTable({
  table: { kernels },
  rows,
  scoring,
  caption,
}: {
  table: PublishedTable;
  rows: readonly Compared[];
  scoring: Scoring | null;
  caption: string;
}) {
  return (
    <table className="compared many">
      <caption className="sr">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">
            metric <small>published above, simulated below</small>
            <Key />
          </th>
          {kernels.map((kernel, i) => (
            <th scope="col" key={kernel}>
              {kernel} <small>{i === 0 ? "baseline" : "change"}</small>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, r) => (
          <tr key={row.metric}>
            <th scope="row">
              {row.metric} <small>{row.unit}</small>
            </th>
            {kernels.map((kernel, i) => (
              <Both key={kernel} row={row} place={i} cell={scoring?.cells[r]?.[i]} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Both({ row, place, cell }: { row: Compared; place: number; cell: Cell | undefined }) {
  const { published, simulated } = row;
  const hasRun = simulated[place] !== null;
  const { sign, words, kind } = markOf(cell);
  return (
    <td>
      <span className="both">
        {[published, simulated].map((values, i) => (
          <span key={i === 0 ? "published" : "simulated"}>
            <span className="sr">{i === 0 ? "published" : "simulated"} </span>
            {i === 1 && !hasRun ? "not run" : valueWords(values[place] ?? null)}{" "}
            {i === 1 && <SpreadOf row={row} place={place} />}
            {place > 0 && (
              <b>
                {i === 0 || hasRun ? changeWords(values[0] ?? null, values[place] ?? null) : ""}
              </b>
            )}
          </span>
        ))}
      </span>
      {place > 0 && (
        <span className="change-line">
          <Bars row={row} place={place} width={NARROW} />
          {hasRun && cell !== undefined && (
            <span className={`verdict ${kind}`}>
              <i aria-hidden="true">{sign}</i> {words}
            </span>
          )}
        </span>
      )}
    </td>
  );
}
