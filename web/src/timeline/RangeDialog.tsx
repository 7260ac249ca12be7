import { type ReactNode, useMemo } from "react";
import { useWorkbench, useWorkbenchState } from "../app/context";
import { knownOf, type Session } from "../app/store";
import { aboutCounter } from "../app/watch";
import { costsOf, eachWords } from "../draw/per-page";
import { clock, count, counted, duration } from "../engine/format";
import { readSeries } from "../engine/rows";
import { Dialog } from "../ui/dialog";
import { useTotals } from "./hooks";

/** What all counters grew by in the chosen range. */
export function RangeDialog({ close }: { close: () => void }) {
  const session = useWorkbenchState((state) => state.session);
  return (
    <Dialog title="Totals in the range" close={close} wide>
      {session && <Table session={session} />}
    </Dialog>
  );
}

function Table({ session }: { session: Session }) {
  const workbench = useWorkbench();
  const zones = session.frame?.view.zones.length ?? 0;
  const series = useMemo(() => readSeries(session.timeline, zones), [session.timeline, zones]);
  const totals = useTotals(session, series);
  if (!totals) return <p className="else">Counting …</p>;
  const { from_ns, to_ns } = totals;
  const known = knownOf(workbench.store.getState());
  const costs = costsOf(totals.totals.map(({ name, by }) => [name, by]));
  const per_s = (by: number) => (to_ns > from_ns ? (by / (to_ns - from_ns)) * 1e9 : 0);
  return (
    <>
      <p className="else">
        From {clock(from_ns)} s to {clock(to_ns)} s ({duration(to_ns - from_ns)}). The range ends at
        the nearest moments of the timeline; the counts between them are exact.
      </p>
      {costs && (
        <Figures
          caption={`Cost per page, ${counted(costs.pages, "page")} allocated in the range`}
          heads={["Cost", "Total", "Per page"]}
          rows={[
            ...costs.scans.map(({ who, all, each }): Row => {
              const what = `scanned by ${who}`;
              return [what, what, count(all), eachWords(each)];
            }),
            ...costs.stalls.map(({ who, all, each }): Row => {
              const what = `stalled in ${who}, ended in the range`;
              return [what, what, duration(all), duration(each)];
            }),
          ]}
        />
      )}
      <Figures
        heads={["Counter", "Increase", "Per second"]}
        rows={totals.totals.map(({ name, by }) => [
          name,
          <>
            <code>{name}</code> <small>{known && aboutCounter(name, known)}</small>
          </>,
          count(by),
          count(per_s(by)),
        ])}
      />
      {totals.totals.length === 0 && <p className="else">No counter changed.</p>}
    </>
  );
}

/** What tells it from other rows, its head, and its figures. */
type Row = readonly [key: string, head: ReactNode, all: string, each: string];

function Figures({
  caption,
  heads,
  rows,
}: {
  caption?: string;
  heads: readonly string[];
  rows: readonly Row[];
}) {
  return (
    <table className="range-table">
      {caption && <caption>{caption}</caption>}
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
        {rows.map(([key, head, all, each]) => (
          <tr key={key}>
            <th scope="row">{head}</th>
            <td>{all}</td>
            <td>{each}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
