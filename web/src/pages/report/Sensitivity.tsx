import { use } from "react";
import { count } from "../../engine/format";
import type { PublishedTable } from "../../lessons/schema";
import {
  loadSensitivity,
  ratios,
  type SensitiveRow,
  type TriedConstant,
} from "../../lessons/sensitivity";
import { dayWords } from "./words";
import "./sensitivity.css";

/** How the results of a table change with each constant that its source does not give. */
export function Sensitivity({ table }: { table: PublishedTable }) {
  const { made, rows } = use(loadSensitivity());
  const own = rows.filter((row) => row.table === table.id);
  if (own.length === 0) return null;
  return (
    <section className="sensitivity" aria-labelledby="sensitivity">
      <h2 id="sensitivity">Sensitivity of the results to each constant</h2>
      <p>
        The source of the table gives none of these constants: they were chosen, or computed from
        other figures. Each line below is a run with one constant changed and all others as they
        are. The numbers are each kernel’s result divided by that of {table.kernels[0]}. Run on{" "}
        {dayWords(made)}.
      </p>
      {own.map((row) => (
        <Ratios key={row.row} row={row} published={publishedOf(table, row)} />
      ))}
    </section>
  );
}

/** The published results for a row, in the order of its kernels. */
const publishedOf = (table: PublishedTable, { row, kernels }: SensitiveRow) => {
  const found = table.rows.find(({ metric }) => metric === row);
  return kernels.map((kernel) => found?.values[table.kernels.indexOf(kernel)] ?? Number.NaN);
};

function Ratios({ row, published }: { row: SensitiveRow; published: readonly number[] }) {
  const { kernels, constants, results, works } = row;
  const name = `${row.row}${works === null ? "" : `, runs of ${works}`}`;
  return (
    <div className="scroll">
      <table>
        <caption>{name}</caption>
        <thead>
          <tr>
            <th scope="col">constant</th>
            <th scope="col">value</th>
            {kernels.slice(1).map((kernel) => (
              <th key={kernel} scope="col">
                {kernel}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">published</th>
            <td />
            <Cells results={published} />
          </tr>
          <tr>
            <th scope="row">simulated, all constants as used</th>
            <td />
            <Cells results={results} />
          </tr>
        </tbody>
        {constants.map((constant) => (
          <Tried key={constant.name} constant={constant} />
        ))}
      </table>
    </div>
  );
}

/** The lines of one constant, with its name on the first. */
function Tried({ constant }: { constant: TriedConstant }) {
  const { name, source, unit, used, tried } = constant;
  return (
    <tbody>
      {tried.map(({ value, results }, i) => (
        <tr key={value}>
          {i === 0 && (
            <th scope="rowgroup" rowSpan={tried.length}>
              {name}
              <small>
                {inUnit(used, unit)} is used; {source}
              </small>
            </th>
          )}
          <td>{inUnit(value, unit)}</td>
          <Cells results={results} />
        </tr>
      ))}
    </tbody>
  );
}

const Cells = ({ results }: { results: readonly number[] }) =>
  ratios(results).map((ratio, i) => (
    // The columns of a table keep their order.
    // biome-ignore lint/suspicious/noArrayIndexKey: a cell is identified by its column
    <td key={i}>{Number.isFinite(ratio) ? ratio.toFixed(3) : "–"}</td>
  ));

/** Converts bytes a second to GB/s. */
const inUnit = (value: number, unit: string): string =>
  unit === "bytes/s" ? `${(value / 1e9).toFixed(2)} GB/s` : `${count(value)} ${unit}`.trim();
