import { count } from "../../engine/format";
import type { PublishedTable } from "../../lessons/schema";
import { writeFragment } from "../../link/router";
import { RichText } from "../../ui/rich-text";
import { useLesson } from "./context";
import { PUBLISHED } from "./words";

/**
 * A published table: the rows that the prose discusses, named with "|" between them, and the others
 * on demand.
 */
export function Published({ table: id, rows }: { table: string; rows: string }) {
  const { published } = useLesson().lesson;
  const table = published?.tables.find((each) => each.id === id);
  if (!table) return null;
  const names = rows.split("|");
  const first = table.rows.filter(({ metric }) => names.includes(metric));
  const rest = table.rows.filter(({ metric }) => !names.includes(metric));
  return (
    <figure className="published" aria-label={PUBLISHED.published(table.title)}>
      <figcaption>
        <RichText text={PUBLISHED.asPublished} parts={{ title: <b>{table.title}</b> }} />{" "}
        <cite>{table.source}.</cite>
      </figcaption>
      <Rows table={table} rows={first} name={PUBLISHED.publishedName(table.title)} />
      <p className="published-links">
        <a href={writeFragment({ page: "report", table: id })}>{PUBLISHED.runItSimulated}</a>
        <a href={writeFragment({ page: "truth" })}>{PUBLISHED.howTrueIsThis}</a>
      </p>
      <details>
        <summary>
          {rest.length > 0 ? PUBLISHED.andWhatWasRun(rest.length) : PUBLISHED.whatWasRun}
        </summary>
        <p>{PUBLISHED.machine(table.workload, table.machine)}</p>
        {rest.length > 0 && (
          <Rows table={table} rows={rest} name={PUBLISHED.otherRows(table.title)} />
        )}
      </details>
    </figure>
  );
}

function Rows({
  table,
  rows,
  name,
}: {
  table: PublishedTable;
  rows: PublishedTable["rows"];
  name: string;
}) {
  const figures = (
    <table className="figures" aria-label={name}>
      <thead>
        <tr>
          <th scope="col">{PUBLISHED.published2}</th>
          {table.kernels.map((kernel) => (
            <th scope="col" key={kernel}>
              {kernel}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ metric, unit, values }) => (
          <tr key={metric}>
            <th scope="row">
              {metric} <small>{unit}</small>
            </th>
            {values.map((value, i) => (
              // A row has a value for each kernel, in order.
              <td key={table.kernels[i]}>{exact(value)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
  if (table.kernels.length < MANY) return figures;
  // If there is little space, the table scrolls sideways, also by keyboard.
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must be able to scroll it
    <section className="figures-room" aria-label={PUBLISHED.columnsOf(name)} tabIndex={0}>
      {figures}
    </section>
  );
}

/** From this many kernels on a table is wider than a phone. */
const MANY = 4;

/** A number with all its digits. */
function exact(value: number): string {
  const [, part] = String(value).split(".");
  const whole = count(Math.trunc(value));
  return part === undefined ? whole : `${whole}.${part}`;
}
