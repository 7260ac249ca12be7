import { useState } from "react";
import { AXIS_ENDS, changeWords } from "../../draw/change";
import type { Cell, Compared, Scoring } from "../../engine/report";
import type { Size } from "../../lessons/publications";
import type { PublishedTable } from "../../lessons/schema";
import { useFit } from "../../ui/fit";
import { Bars, Key, SpreadOf } from "./ChangeBars";
import { FEW, ManyTable } from "./ManyTable";
import { markOf, ratioWords, valueWords } from "./words";

interface Of {
  readonly table: PublishedTable;
  readonly rows: readonly Compared[];
  readonly scoring: Scoring | null;
  readonly size: Size;
  /** Kernels that were run in this browser. */
  readonly here: readonly string[];
}

/** All rows, published beside simulated; on a narrow page one kernel at a time. */
export function ReportTable(of: Of) {
  const { look } = useFit();
  const { kernels } = of.table;
  const [chosen, setChosen] = useState(1);
  const isNarrow = look === "narrow" || look === "phone";
  if (!isNarrow && kernels.length > FEW) return <ManyTable {...of} caption={caption(of)} />;
  if (!isNarrow) return <Wide {...of} />;
  return (
    <>
      <fieldset className="seg kernels" aria-label={`Compared with ${kernels[0]}`}>
        {kernels.slice(1).map((kernel, i) => (
          <button
            key={kernel}
            type="button"
            aria-pressed={chosen === i + 1}
            onClick={() => setChosen(i + 1)}
          >
            {kernel}
          </button>
        ))}
      </fieldset>
      <Narrow {...of} place={chosen} />
    </>
  );
}

const caption = ({ table, size }: Of) =>
  `${table.title}: published and simulated values${size === "teach" ? ", teaching size" : ", full size"}`;

/** Before the first run, the table says this once instead of in every row. */
const hasNotRun = (rows: readonly Compared[]): boolean =>
  rows.every(({ simulated }) => simulated.every((value) => value === null));

function Wide(of: Of) {
  const { table, rows, scoring, size, here } = of;
  const { kernels } = table;
  const simulated = size === "teach" ? "Simulated, teaching size" : "Simulated, full size";
  const isUnrun = hasNotRun(rows);
  return (
    <table className="compared" data-unrun={isUnrun || undefined}>
      <caption className="sr">{caption(of)}</caption>
      <thead>
        <tr>
          <td />
          <th scope="colgroup" colSpan={kernels.length}>
            Published
          </th>
          <th scope="colgroup" colSpan={kernels.length} className="apart">
            {simulated}
            {isUnrun && <small> · {size === "full" ? "not made yet" : "not run yet"}</small>}
          </th>
          <th scope="colgroup" colSpan={2 * (kernels.length - 1)} className="apart">
            Change against {kernels[0]} <Key />
          </th>
        </tr>
        <tr>
          <th scope="col">metric</th>
          {["published", "simulated"].map((group) =>
            kernels.map((kernel, i) => (
              <th
                scope="col"
                key={group + kernel}
                className={i === 0 && group !== "published" ? "apart" : ""}
              >
                {kernel}
                {group === "simulated" && here.includes(kernel) && <small> run here</small>}
              </th>
            )),
          )}
          {kernels.slice(1).map((kernel) => (
            <th scope="colgroup" colSpan={2} key={kernel} className="apart change">
              {kernel} <Axis />
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
            {row.published.map((value, i) => (
              <td key={kernels[i]}>{valueWords(value)}</td>
            ))}
            {row.simulated.map((value, i) => (
              <td key={kernels[i]} className={i === 0 ? "apart" : ""}>
                {valueWords(value)}
                <SpreadOf row={row} place={i} />
              </td>
            ))}
            {kernels.slice(1).map((kernel, i) => (
              <Change
                key={kernel}
                row={row}
                place={i + 1}
                cell={scoring?.cells[r]?.[i + 1]}
                size={size}
              />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A row's cell for one kernel. */
interface Marked {
  readonly row: Compared;
  /** The index of the kernel's column. */
  readonly place: number;
  readonly cell: Cell | undefined;
  readonly size: Size;
}

function Change({ row, place, cell, size }: Marked) {
  const { published, simulated } = row;
  return (
    <>
      <td className="apart bars">
        <Bars row={row} place={place} width={WIDE} />
        <span>
          <b>{changeWords(published[0] ?? null, published[place] ?? null)}</b>
          <span>{changeWords(simulated[0] ?? null, simulated[place] ?? null)}</span>
        </span>
      </td>
      <td className="mark">
        <MarkOf row={row} place={place} cell={cell} size={size} />
      </td>
    </>
  );
}

function Narrow({ place, ...of }: Of & { place: number }) {
  const { table, rows, scoring, size } = of;
  const { kernels } = table;
  return (
    <table className="compared narrow" data-unrun={hasNotRun(rows) || undefined}>
      <caption className="sr">{caption(of)}</caption>
      <thead>
        <tr>
          <th scope="col">
            metric
            <small>
              {kernels[0]} to {kernels[place]}
            </small>
          </th>
          <th scope="col">published</th>
          <th scope="col">simulated</th>
          <th scope="col">
            <Key />
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, r) => (
          <tr key={row.metric}>
            <th scope="row">
              {row.metric} <small>{row.unit}</small>
            </th>
            {[row.published, row.simulated].map((values, i) => (
              <td key={i === 0 ? "published" : "simulated"}>
                {valueWords(values[0] ?? null)}
                {i === 1 && <SpreadOf row={row} place={0} />}
                <br />
                {valueWords(values[place] ?? null)}
                {i === 1 && <SpreadOf row={row} place={place} />}
                <br />
                <b>{changeWords(values[0] ?? null, values[place] ?? null)}</b>
              </td>
            ))}
            <td className="mark">
              <Bars row={row} place={place} width={72} />
              <MarkOf row={row} place={place} cell={scoring?.cells[r]?.[place]} size={size} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function MarkOf({ row: { simulated }, place, cell, size }: Marked) {
  // Values exist before the engine that scores them has loaded.
  if (cell === undefined && simulated[place] !== null) return null;
  const { sign, words, kind } = markOf(cell);
  return (
    <span className={`verdict ${kind}`}>
      <i aria-hidden="true">{sign}</i> {words}
      {size === "full" && <small> {ratioWords(cell)}</small>}
    </span>
  );
}

/** Width of the bars, the same as `.ends` in the style sheet. */
const WIDE = 152;

function Axis() {
  return (
    <small className="ends">
      <span>÷{AXIS_ENDS}</span> <span>same</span> <span>×{AXIS_ENDS}</span>
    </small>
  );
}
