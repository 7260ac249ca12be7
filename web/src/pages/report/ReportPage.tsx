import { use, useEffect, useMemo } from "react";
import { useStore } from "zustand";
import { EmbedPart } from "../../export/EmbedPart";
import type { PublishedTable } from "../../lessons/schema";
import type { Embed } from "../../link/embed";
import { urlOf, writeFragment } from "../../link/router";
import { EmbedBar } from "../../ui/embed-bar";
import { pageZoom, useFit } from "../../ui/fit";
import { PageBar } from "../../ui/page-bar";
import { csvText, saveText } from "../../ui/save";
import { ReportController } from "./controller";
import { delayCells, reportCells } from "./csv";
import { Delays } from "./Delays";
import { CountedTwice, Differences, LeftOut, Totals, Unscored } from "./Findings";
import { Latencies } from "./Latencies";
import { ReportTable } from "./ReportTable";
import { Runner } from "./Runner";
import { TableList } from "./TableList";
import { type Doubt, type FiledTable, isOffered, loadPublications } from "./tables";
import { WhereTheyPart } from "./WhereTheyPart";
import "./report.css";
import "./table.css";

/** Published tables beside what the engine makes of them; without an id, all there are. */
export function ReportPage({ id, embed }: { id: string | null; embed?: Embed | undefined }) {
  const { tables: published, doubts } = use(loadPublications());
  const tables = published.filter(isOffered);
  const { look, text, hasTouch } = useFit();
  const table = tables.find((each) => each.id === id);
  useEffect(() => {
    document.title = `${table ? `${table.title}, report` : "Reports"} · mmscope`;
  }, [table]);
  return (
    <div
      className="report-page"
      data-look={look}
      data-touch={hasTouch || undefined}
      data-embed={embed ? true : undefined}
      style={pageZoom(text)}
    >
      {embed ? (
        <EmbedBar href={urlOf({ page: "report", table: id })} faults={embed.faults}>
          <span className="embed-title">{table?.title ?? "Reports"}</span>
        </EmbedBar>
      ) : (
        <Bar table={table} />
      )}
      <main className="report" aria-label="Report">
        {table ? (
          <Report
            table={table}
            doubts={doubts.filter((doubt) => doubt.table === table.id)}
            isEmbedded={embed !== undefined}
          />
        ) : (
          <TableList tables={tables} unknown={id} />
        )}
      </main>
    </div>
  );
}

function Bar({ table }: { table: PublishedTable | undefined }) {
  return (
    <PageBar
      crumb={
        table ? (
          <>
            <a href={writeFragment({ page: "report", table: null })}>Reports</a>{" "}
            <b>{table.title}</b>
          </>
        ) : (
          <b>Reports</b>
        )
      }
    />
  );
}

function Report({
  table,
  doubts,
  isEmbedded,
}: {
  table: FiledTable;
  doubts: readonly Doubt[];
  /** In a frame of another's page: what runs there is nothing the reader keeps. */
  isEmbedded: boolean;
}) {
  const controller = useMemo(
    () => new ReportController(table, { keeps: !isEmbedded }),
    [table, isEmbedded],
  );
  useEffect(() => () => controller.dispose(), [controller]);
  // Not the whole state: a running kernel changes that many times a second, and the tables never.
  const rows = useStore(controller.store, (state) => state.rows);
  const scoring = useStore(controller.store, (state) => state.scoring);
  const size = useStore(controller.store, (state) => state.size);
  const results = useStore(controller.store, (state) => state.results);
  return (
    <>
      <h1 tabIndex={-1}>{table.title}, published and simulated</h1>
      <dl className="of">
        <dt>Source</dt>
        <dd>{table.source}</dd>
        <dt>Machine</dt>
        <dd>{table.machine}</dd>
        {table.workload && (
          <>
            <dt>Workload</dt>
            <dd>{table.workload}</dd>
          </>
        )}
        {table.note && (
          <>
            <dt>Note</dt>
            <dd>{table.note}</dd>
          </>
        )}
      </dl>
      <Runner controller={controller} />
      <Totals scoring={scoring} size={size} />
      <ReportTable table={table} rows={rows} scoring={scoring} size={size} />
      <Latencies kernels={table.kernels} rows={rows} />
      <Delays table={table} results={results} published={table.delays} />
      <Saves controller={controller} />
      {!isEmbedded && (
        <EmbedPart
          addressOf={(embed) => ({ page: "report", table: table.id, embed })}
          title={table.title}
          size={1}
        />
      )}
      <CountedTwice table={table} results={results} size={size} />
      <WhereTheyPart table={table} size={size} />
      <LeftOut table={table} size={size} />
      <Unscored rows={rows} />
      <Differences table={table} rows={rows} scoring={scoring} size={size} doubts={doubts} />
    </>
  );
}

/** What is shown, for other programs. */
function Saves({ controller }: { controller: ReportController }) {
  const { table, store } = controller;
  const { rows, scoring, results } = useStore(store);
  const hasDelays = Object.values(results).some(({ delays }) => delays.length > 0);
  const save = (cells: Parameters<typeof csvText>[0], what: string) =>
    saveText(csvText(cells), `mmscope-${table.id}-${what}.csv`, "text/csv");
  return (
    <p className="saves">
      <button
        type="button"
        className="btn line"
        onClick={() => save(reportCells(table.kernels, rows, scoring), "report")}
      >
        Save the table as CSV
      </button>
      {hasDelays && (
        <button
          type="button"
          className="btn line"
          onClick={() => save(delayCells(table.kernels, results), "waits")}
        >
          Save the waits as CSV
        </button>
      )}
    </p>
  );
}
