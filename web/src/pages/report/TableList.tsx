// All published tables, series by series in the order of posting: what each table measured, its
// main figure for every kernel, and the results so far.

import { useEffect, useMemo } from "react";
import { useStore } from "zustand";
import { counted } from "../../engine/format";
import type { FullRun } from "../../lessons/full-size";
import { LESSONS } from "../../lessons/heads";
import type { FiledTable, Size } from "../../lessons/publications";
import type { PublishedTable } from "../../lessons/schema";
import { writeFragment } from "../../link/router";
import { slowOf, USUAL_SPEED } from "../../runs/cost";
import { thisVisit } from "../../runs/visit";
import { waitWords } from "../../runs/wait-words";
import { COLUMNS } from "./column-words";
import { TWO_LRUS } from "./columns";
import { ReportController } from "./controller";
import { costOf } from "./experiments";
import { mainRow, type Series, seriesOf } from "./series";
import { sizesOf } from "./sizes";
import { valueWords } from "./words";

/** The table whose workload the list offers for a comparison of the two LRU implementations. */
const TWO_LRUS_TABLE = "fsmark";

/** All tables, and a message if the requested table does not exist. */
export function TableList({
  tables,
  runs,
  unknown,
}: {
  tables: readonly FiledTable[];
  runs: readonly FullRun[];
  unknown: string | null;
}) {
  return (
    <>
      <h1 tabIndex={-1}>Published tables and simulated results</h1>
      <p className="stand">
        Each table was posted with a patch series. The engine runs its workload with each of its
        kernels; where the outcome differs from what was published, the report says so.{" "}
        <a href={writeFragment({ page: "truth" })}>How true is the rest of mmscope?</a>
      </p>
      <p className="stand">
        {COLUMNS.twoLrusList}{" "}
        <a href={writeFragment({ page: "report", table: TWO_LRUS_TABLE, columns: TWO_LRUS })}>
          {COLUMNS.twoLrus}
        </a>
      </p>
      {unknown !== null && (
        <p role="alert">
          There is no table <code>{unknown}</code>. Choose one of these:
        </p>
      )}
      {seriesOf(tables).map((series) => (
        <SeriesOf key={series.source} series={series} runs={runs} />
      ))}
    </>
  );
}

function SeriesOf({ series, runs }: { series: Series; runs: readonly FullRun[] }) {
  const { source, title, posted, tables } = series;
  const lesson = LESSONS.find(({ figures }) => figures !== undefined && figures === series.file);
  return (
    <section className="series" aria-labelledby={`series-${tables[0]?.id}`}>
      <header>
        <h2 id={`series-${tables[0]?.id}`}>{title}</h2>
        <p>{posted ?? source}</p>
        {lesson && (
          <p>
            <a href={writeFragment({ page: "lesson", id: lesson.id })}>{lesson.title}</a>, a lesson
            of {counted(lesson.minutes, "minute")}
          </p>
        )}
      </header>
      <ul className="tables">
        {tables.map((table) => (
          <li key={table.id}>
            <TableCard table={table} runs={runs} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function TableCard({ table, runs }: { table: PublishedTable; runs: readonly FullRun[] }) {
  const controller = useMemo(() => new ReportController(table, { committed: runs }), [table, runs]);
  useEffect(() => {
    controller.choose("full");
    return () => controller.dispose();
  }, [controller]);
  const { id, title, workload, kernels, rows } = table;
  return (
    <>
      <h3>
        <a href={writeFragment({ page: "report", table: id })}>{title}</a>
      </h3>
      <span className="size">
        {counted(rows.length, "row")}, {counted(kernels.length, "kernel")}
      </span>
      {workload && <p className="about">{workload}</p>}
      <MainFigure controller={controller} />
      <Outcome controller={controller} />
    </>
  );
}

/**
 * The main row of a series: published values, and simulated ones if there are full-size results.
 */
function MainFigure({ controller }: { controller: ReportController }) {
  const compared = useStore(controller.store, (state) => state.standing.rows);
  const row = mainRow(controller.table);
  const simulated = compared.find(({ metric }) => metric === row?.metric)?.simulated ?? [];
  if (!row) return null;
  const hasRun = simulated.some((value) => value !== null);
  const most = Math.max(...row.values, ...simulated.map((value) => value ?? 0));
  const width = (value: number | null) => ({ width: `${(100 * (value ?? 0)) / most}%` });
  return (
    <table className="main-figure">
      <caption>
        <b>{row.metric}</b>, {row.unit}
        {row.better !== "none" && <>, {row.better} is better</>}
      </caption>
      <thead className={hasRun ? undefined : "sr"}>
        <tr>
          <th scope="col">
            <span className="sr">kernel</span>
          </th>
          <th scope="col">
            <span className="sr">bars</span>
          </th>
          <th scope="col">published</th>
          {hasRun && <th scope="col">simulated</th>}
        </tr>
      </thead>
      <tbody>
        {controller.table.kernels.map((kernel, i) => (
          <tr key={kernel}>
            <th scope="row">{kernel}</th>
            <td aria-hidden="true" className="reach">
              <i style={width(row.values[i] ?? null)} />
              {hasRun && <i style={width(simulated[i] ?? null)} />}
            </td>
            <td>{valueWords(row.values[i] ?? null)}</td>
            {hasRun && <td>{valueWords(simulated[i] ?? null)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The agreement of its full-size results, or how long they would take to compute. */
function Outcome({ controller }: { controller: ReportController }) {
  const scoring = useStore(controller.store, (state) => state.standing.scoring);
  const results = useStore(controller.store, (state) => state.standing.results);
  if (scoring) {
    const { moving, moving_agree } = scoring.scores;
    return (
      <p className="outcome">
        <b>
          {moving_agree} of {moving}
        </b>{" "}
        changes of more than 5 % agree in direction, full size
      </p>
    );
  }
  if (Object.keys(results).length > 1) return <p className="outcome">{"\u00a0"}</p>;
  const waitOf = (size: Size) => {
    const cost = costOf(controller.table, size);
    return cost && waitWords(slowOf(cost) / (thisVisit.speed(size) ?? USUAL_SPEED));
  };
  const wait = waitOf("full");
  const small = sizesOf(controller.table).includes("teach") ? waitOf("teach") : null;
  return (
    <p className="outcome">
      Full-size results have not been made yet{wait && <>: {wait} per kernel</>}
      {small && `, ${small} at teaching size`}
    </p>
  );
}
