import { useMemo } from "react";
import { aboutCounter } from "../debugger/watch";
import { clock, count, duration } from "../draw/format";
import { costsOf, eachWords } from "../draw/per-page";
import { readSeries } from "../draw/rows";
import { Dialog } from "../ui/dialog";
import { useWorkbench, useWorkbenchState } from "../workbench/context";
import { knownOf, type Session } from "../workbench/store";
import { useTotals } from "./hooks";

/** What all counters grew by in the chosen range. */
export function RangeDialog({ close }: { close: () => void }) {
  const session = useWorkbenchState((state) => state.session);
  return (
    <Dialog title="Totals of the range" close={close} wide>
      {session && <Table session={session} />}
    </Dialog>
  );
}

function Table({ session }: { session: Session }) {
  const workbench = useWorkbench();
  const zones = session.frame?.view.zones.length ?? 0;
  const series = useMemo(() => readSeries(session.timeline, zones), [session.timeline, zones]);
  const totals = useTotals(session, series);
  if (!totals) return <p className="else">Counting.</p>;
  const { from_ns, to_ns } = totals;
  const known = knownOf(workbench.store.getState());
  const costs = costsOf(totals.totals.map(({ name, by }) => [name, by]));
  const per_s = (by: number) => (to_ns > from_ns ? (by / (to_ns - from_ns)) * 1e9 : 0);
  return (
    <>
      <p className="else">
        From {clock(from_ns)} s to {clock(to_ns)} s, {duration(to_ns - from_ns)}: the moments of the
        timeline nearest to the range, counted exactly between them.
      </p>
      {costs && (
        <table className="range-table">
          <caption>Of {count(costs.pages)} pages allocated in the range, for each</caption>
          <thead>
            <tr>
              <th scope="col">Cost</th>
              <th scope="col">In all</th>
              <th scope="col">a page</th>
            </tr>
          </thead>
          <tbody>
            {costs.scans.map(({ who, all, each }) => (
              <tr key={who}>
                <th scope="row">scanned by {who}</th>
                <td>{count(all)}</td>
                <td>{eachWords(each)}</td>
              </tr>
            ))}
            {costs.stalls.map(({ who, all, each }) => (
              <tr key={who}>
                <th scope="row">stalled in {who}, where it ended in the range</th>
                <td>{duration(all)}</td>
                <td>{duration(each)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <table className="range-table">
        <thead>
          <tr>
            <th scope="col">Counter</th>
            <th scope="col">Grew by</th>
            <th scope="col">a second</th>
          </tr>
        </thead>
        <tbody>
          {totals.totals.map(({ name, by }) => (
            <tr key={name}>
              <th scope="row">
                <code>{name}</code> <small>{known && aboutCounter(name, known)}</small>
              </th>
              <td>{count(by)}</td>
              <td>{count(per_s(by))}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {totals.totals.length === 0 && <p className="else">No counter moved.</p>}
    </>
  );
}
