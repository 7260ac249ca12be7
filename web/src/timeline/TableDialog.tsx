import { useEffect, useMemo, useRef } from "react";
import { useRunViewModel, useRunViewState } from "../app/run-view-model";
import { clock, count } from "../engine/format";
import { readSeries } from "../engine/rows";
import type { Run } from "../engine/run";
import { Dialog } from "../ui/dialog";
import { csvText, saveText } from "../ui/save";
import { useChartData, useTracks } from "./hooks";
import { laneTasks, MOST_LANES } from "./lanes";
import { doingWords, type TableColumns, type TableRow, tableCells, tableRows } from "./table";
import { TABLE } from "./words";

/** The data of the timeline as numbers. */
export interface Table {
  readonly columns: TableColumns;
  readonly rows: readonly TableRow[];
  /** A name for files made from the table. */
  readonly name: string;
}

/** The moments of the chart, in the whole known run or in the zoomed part; null without a frame. */
export function useTable(session: Run): Table | null {
  const { frame, info } = session;
  const zones = frame?.view.zones;
  const many = zones?.length ?? 0;
  const whole = useMemo(() => readSeries(session.timeline, many), [session.timeline, many]);
  const known_ns = Math.max(frame?.furthest.time_ns ?? 0, 1);
  const tracks = useTracks();
  const data = useChartData(session, whole, known_ns, tracks);
  const tasks = frame?.view.tasks;
  return useMemo(() => {
    if (!zones || !tasks) return null;
    const columns = {
      zones: zones.map(({ key }) => key),
      // A counter that was just chosen arrives with the next frame.
      counters: tracks.slice(0, data.series.counters).map(({ name }) => name),
      tasks: laneTasks(tasks, data.series).slice(0, MOST_LANES),
    };
    const name = `mmscope-${info.experiment || info.workload}-${info.kernel}-timeline`;
    return { columns, rows: tableRows(data, columns), name };
  }, [zones, tasks, tracks, data, info]);
}

/** Saves a table as CSV; returns the file's name. */
export function saveTable({ columns, rows, name }: Table): string {
  const file = `${name}.csv`;
  saveText(csvText(tableCells(rows, columns)), file, "text/csv");
  return file;
}

/** The timeline as a table. */
export function TableDialog({ close }: { close: () => void }) {
  const session = useRunViewState((state) => state.session);
  return (
    <Dialog title={TABLE.title} close={close} wide className="table-dialog">
      {session && <Moments session={session} close={close} />}
    </Dialog>
  );
}

function Moments({ session, close }: { session: Run; close: () => void }) {
  const table = useTable(session);
  if (!table) return <p className="else">{TABLE.none}</p>;
  return (
    <>
      <div className="table-tools">
        <p className="else">{TABLE.about(table.rows.length)}</p>
        <button type="button" className="btn line" onClick={() => saveTable(table)}>
          {TABLE.save}
        </button>
      </div>
      <Cells {...table} close={close} />
    </>
  );
}

function Cells({ columns, rows, close }: Table & { close: () => void }) {
  const model = useRunViewModel();
  const here = useRunViewState((state) => state.session?.frame?.view.position.step ?? 0);
  const { zones, counters, tasks } = columns;
  const groups = [
    [TABLE.freePages, zones],
    [TABLE.counters, counters],
    [TABLE.tasks, tasks.map(({ name }) => name)],
  ] as const;
  // The present moment, or the last one before it.
  const now = rows.findLastIndex(({ step }) => step <= here);
  const room = useRef<HTMLElement>(null);
  const row = useRef<HTMLTableRowElement>(null);
  // Only once, so that a user who scrolls away is not taken back.
  useEffect(() => {
    // The dialog opens after its contents are rendered.
    const data = requestAnimationFrame(() => {
      const [section, at] = [room.current, row.current];
      if (section && at) section.scrollTop = at.offsetTop - section.clientHeight / 2;
    });
    return () => cancelAnimationFrame(data);
  }, []);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section ref={room} className="table-scroll" aria-label={TABLE.moments} tabIndex={0}>
      <table className="moments-table">
        <thead>
          <tr>
            <th scope="col" rowSpan={2}>
              {TABLE.step}
            </th>
            <th scope="col" rowSpan={2}>
              {TABLE.time}
            </th>
            {groups.map(
              ([title, names]) =>
                names.length > 0 && (
                  <th key={title} scope="colgroup" colSpan={names.length}>
                    {title}
                  </th>
                ),
            )}
          </tr>
          <tr>
            {groups.map(([title, names]) =>
              names.map((name, i) => (
                <th
                  key={`${title} ${name}`}
                  scope="col"
                  className={`${i === 0 ? "first" : ""} ${title === TABLE.tasks ? "words" : ""}`}
                >
                  {name}
                </th>
              )),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((data, i) => (
            <tr
              key={data.step}
              ref={i === now ? row : undefined}
              aria-current={i === now ? "step" : undefined}
            >
              <th scope="row">
                <button
                  type="button"
                  className="name"
                  aria-label={TABLE.goTo(data.step)}
                  onClick={() => {
                    model.transport.seek({ kind: "step", step: data.step });
                    close();
                  }}
                >
                  #{count(data.step)}
                </button>
              </th>
              <td>{clock(data.time_ns)}</td>
              {[...data.free, ...data.counters].map((value, column) => (
                <td
                  // biome-ignore lint/suspicious/noArrayIndexKey: a column is its number
                  key={column}
                  className={column === 0 || column === data.free.length ? "first" : ""}
                >
                  {count(value)}
                </td>
              ))}
              {tasks.map(({ id }, column) => (
                <td key={id} className={column === 0 ? "first words" : "words"}>
                  {doingWords(data, column)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
