import { use, useEffect, useMemo } from "react";
import { useStore } from "zustand";
import { once } from "../../engine/once";
import { loadCatalog } from "../../engine/worker/load-catalog";
import { EmbedPart } from "../../export/EmbedPart";
import { type Proof, proofHtml, proofJson } from "../../export/evidence";
import { type FullRun, loadFullSize } from "../../lessons/full-size";
import {
  type Doubt,
  type FiledTable,
  isOffered,
  loadPublications,
  standInNote,
} from "../../lessons/publications";
import type { PublishedTable } from "../../lessons/schema";
import type { Embed } from "../../link/embed";
import { urlOf, writeFragment } from "../../link/router";
import { EmbedBar } from "../../ui/embed-bar";
import { pageZoom, useFit } from "../../ui/fit";
import { PageBar } from "../../ui/page-bar";
import { csvText, saveText } from "../../ui/save";
import { Columns } from "./Columns";
import { columnsOf, withColumns } from "./columns";
import { ReportController } from "./controller";
import { delayCells, reportCells } from "./csv";
import { Delays } from "./Delays";
import { CountedTwice, Differences, LeftOut, Totals, Unscored } from "./Findings";
import { MadeBy } from "./FullSize";
import { KernelDivergence } from "./KernelDivergence";
import { Latencies } from "./Latencies";
import { Multiples } from "./Multiples";
import { mmtestsJson, mmtestsText } from "./mmtests";
import { PROOFS } from "./proof-words";
import { withFoundations } from "./proofs";
import { ReportTable } from "./ReportTable";
import { Runner } from "./Runner";
import { Sensitivity } from "./Sensitivity";
import { TableList } from "./TableList";
import "./report.css";
import "./table.css";

/** Published tables next to the engine's results; without an id, a list of all tables. */
export function ReportPage({
  id,
  columns,
  embed,
}: {
  id: string | null;
  /** Kernels with patches, instead of the table's own columns. */
  columns: readonly string[] | null;
  embed?: Embed | undefined;
}) {
  const { tables: published, doubts } = use(loadPublications());
  const runs = use(loadFullSize());
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
        <EmbedBar href={urlOf({ page: "report", table: id, columns })} faults={embed.faults}>
          <span className="embed-title">{table?.title ?? "Reports"}</span>
        </EmbedBar>
      ) : (
        <Bar table={table} />
      )}
      <main className="report" aria-label="Report">
        {table ? (
          <Report
            published={table}
            asked={columns}
            doubts={doubts.filter((doubt) => doubt.table === table.id)}
            runs={runs}
            isEmbedded={embed !== undefined}
          />
        ) : (
          <TableList tables={tables} runs={runs} unknown={id} />
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
  published,
  asked,
  doubts,
  runs,
  isEmbedded,
}: {
  published: FiledTable;
  /** The columns of the address; null for those of the table. */
  asked: readonly string[] | null;
  doubts: readonly Doubt[];
  /** All committed full-size runs. */
  runs: readonly FullRun[];
  /** In a frame on another site, where no result is stored for the reader. */
  isEmbedded: boolean;
}) {
  const names = asked?.join() ?? null;
  const { columns, unknown } = useMemo(
    () => columnsOf(published, names?.split(",") ?? null),
    [published, names],
  );
  const table = useMemo(() => withColumns(published, columns), [published, columns]);
  const controller = useMemo(
    () => new ReportController(table, { keeps: !isEmbedded, committed: runs }),
    [table, isEmbedded, runs],
  );
  useEffect(() => () => controller.dispose(), [controller]);
  // Only a part of the state: a running kernel changes the rest many times a second.
  const standing = useStore(controller.store, (state) => state.standing);
  const size = useStore(controller.store, (state) => state.size);
  const { rows, scoring, results } = standing;
  const standIns = table.kernels.filter((kernel) => standInNote(kernel) !== undefined);
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
        {(table.simulated || standIns.length > 0) && (
          <>
            <dt>Simulated</dt>
            <dd>
              {table.simulated}
              {standIns.map((kernel) => (
                <span key={kernel} className="stand-in">
                  {" "}
                  <b>{kernel}</b>: {standInNote(kernel)}
                </span>
              ))}
            </dd>
          </>
        )}
      </dl>
      <div className="opening">
        <section className="standing" aria-labelledby="full-size">
          <h2 id="full-size">Full-size results</h2>
          <MadeBy
            controller={controller}
            isOwn={columns.every((column) => published.kernels.includes(column))}
          />
          <Totals scoring={scoring} size="full" />
        </section>
        <Runner controller={controller} />
      </div>
      {!isEmbedded && (
        <Columns table={table.id} columns={columns} unknown={unknown} own={published.kernels} />
      )}
      {size === "teach" && <Teaching controller={controller} />}
      <ReportTable table={table} rows={rows} scoring={scoring} size="full" here={standing.here} />
      <Multiples kernels={table.kernels} rows={rows} />
      <Latencies kernels={table.kernels} rows={rows} />
      <Delays table={table} results={results} published={table.delays} />
      <Saves controller={controller} />
      <Proofs controller={controller} />
      {!isEmbedded && (
        <EmbedPart
          addressOf={(embed) => ({ page: "report", table: table.id, columns: asked, embed })}
          title={table.title}
          size={1}
        />
      )}
      <CountedTwice table={table} results={results} />
      <KernelDivergence table={table} size={size} />
      <Sensitivity table={table} />
      <Unscored rows={rows} />
      <Differences table={table} rows={rows} scoring={scoring} doubts={doubts} />
    </>
  );
}

/**
 * The results of the small machine, in a separate table of the rows that can be compared at its
 * size.
 */
function Teaching({ controller }: { controller: ReportController }) {
  const { table } = controller;
  const rows = useStore(controller.store, (state) => state.rows);
  const scoring = useStore(controller.store, (state) => state.scoring);
  const results = useStore(controller.store, (state) => state.results);
  const hasRun = Object.keys(results).length > 0;
  return (
    <section className="teaching" aria-labelledby="teaching">
      <h2 id="teaching">Teaching size, run here</h2>
      {hasRun ? (
        <>
          <p>
            A small machine with a small load: {rows.length} of {table.rows.length} rows, and only
            the direction of each change.
          </p>
          <Totals scoring={scoring} size="teach" />
          <ReportTable table={table} rows={rows} scoring={scoring} size="teach" here={[]} />
        </>
      ) : (
        <p>Nothing has run at teaching size yet. The full-size results stay in the table below.</p>
      )}
      <LeftOut table={table} size="teach" />
    </section>
  );
}

const catalogOnce = once(loadCatalog);

/** Saves the runs made here with inputs, versions and hashes, for others to check. */
function Proofs({ controller }: { controller: ReportController }) {
  const { table, store } = controller;
  // Read again when a run ends or results are deleted.
  useStore(store, (state) => state.results);
  useStore(store, (state) => state.standing);
  const proofs = controller.proofs();
  if (proofs.length === 0) return null;
  const save = async (
    textOf: (named: readonly Proof[]) => string,
    kind: string,
    type: string,
  ): Promise<void> => {
    const named = withFoundations(proofs, await catalogOnce());
    saveText(textOf(named), `mmscope-${table.id}-results.${kind}`, type);
  };
  return (
    <p className="saves">
      <button
        type="button"
        className="btn line"
        onClick={() => void save(proofJson, "json", "application/json")}
      >
        {PROOFS.json}
      </button>
      <button
        type="button"
        className="btn line"
        onClick={() => void save((named) => proofHtml(table.title, named), "html", "text/html")}
      >
        {PROOFS.html}
      </button>
      <span className="cap">{PROOFS.about(proofs.length)}</span>
    </p>
  );
}

/** Saves the shown data for other programs. */
function Saves({ controller }: { controller: ReportController }) {
  const { table, store } = controller;
  const { rows, scoring, results } = useStore(store, (state) => state.standing);
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
      {rows.some(({ simulated }) => simulated.some((value) => value !== null)) && (
        <>
          <button
            type="button"
            className="btn line"
            onClick={() =>
              saveText(
                mmtestsText(table.kernels, rows),
                `mmscope-${table.id}-comparison.txt`,
                "text/plain",
              )
            }
          >
            {PROOFS.mmtests}
          </button>
          <button
            type="button"
            className="btn line"
            onClick={() =>
              saveText(
                mmtestsJson(table.title, table.kernels, rows),
                `mmscope-${table.id}-comparison.json`,
                "application/json",
              )
            }
          >
            {PROOFS.mmtestsJson}
          </button>
        </>
      )}
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
