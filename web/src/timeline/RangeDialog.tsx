import { type ReactNode, useMemo } from "react";
import { catalogOf, useRunViewState } from "../app/run-view-model";
import { aboutCounter } from "../app/watch";
import { costsOf, eachWords } from "../draw/per-page";
import { count, duration } from "../engine/format";
import { readSeries } from "../engine/rows";
import type { Run } from "../engine/run";
import { Dialog } from "../ui/dialog";
import { useTotals } from "./hooks";
import { RANGE } from "./words";

/** The growth of all counters in the chosen range. */
export function RangeDialog({ close }: { close: () => void }) {
  const session = useRunViewState((state) => state.session);
  return (
    <Dialog title={RANGE.title} close={close} wide>
      {session && <Table session={session} />}
    </Dialog>
  );
}

function Table({ session }: { session: Run }) {
  const zones = session.frame?.view.zones.length ?? 0;
  const series = useMemo(() => readSeries(session.timeline, zones), [session.timeline, zones]);
  const totals = useTotals(session, series);
  const catalog = useRunViewState(catalogOf);
  if (!totals) return <p className="else">{RANGE.counting}</p>;
  const { from_ns, to_ns } = totals;
  const costs = costsOf(totals.totals.map(({ name, by }) => [name, by]));
  const per_s = (by: number) => (to_ns > from_ns ? (by / (to_ns - from_ns)) * 1e9 : 0);
  return (
    <>
      <p className="else">{RANGE.about(from_ns, to_ns)}</p>
      {costs && (
        <Figures
          caption={RANGE.costs(costs.pages)}
          heads={RANGE.costHeads}
          rows={[
            ...costs.scans.map(({ who, all, each }): RangeRow => {
              const what = RANGE.scannedBy(who);
              return [what, what, count(all), eachWords(each)];
            }),
            ...costs.stalls.map(({ who, all, each }): RangeRow => {
              const what = RANGE.stalledIn(who);
              return [what, what, duration(all), duration(each)];
            }),
          ]}
        />
      )}
      <Figures
        heads={RANGE.counterHeads}
        rows={totals.totals.map(({ name, by }) => [
          name,
          <>
            <code>{name}</code>{" "}
            <small>{catalog && aboutCounter(name, { catalog, info: session.info })}</small>
          </>,
          count(by),
          count(per_s(by)),
        ])}
      />
      {totals.totals.length === 0 && <p className="else">{RANGE.none}</p>}
    </>
  );
}

/** Its key, its heading, and its figures. */
type RangeRow = readonly [key: string, head: ReactNode, all: string, each: string];

function Figures({
  caption,
  heads,
  rows,
}: {
  caption?: string;
  heads: readonly string[];
  rows: readonly RangeRow[];
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
