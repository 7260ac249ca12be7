import { useEffect, useState } from "react";
import { useStore } from "zustand";
import { catalogOf } from "../../app/run-view-model";
import type { Machine } from "../../engine/capture/open";
import { count, counted, percent } from "../../engine/format";
import type { MachineViewModel } from "./machine-view-model";
import {
  PUT_BACK,
  PUT_BACK_WORDS,
  type Reclaimer,
  sumsOf,
  type TraceFunnel,
  unexplained,
} from "./reclaim";

type Sums = Readonly<Record<Reclaimer, TraceFunnel>>;

const WHO: Readonly<Record<Reclaimer, string>> = {
  kswapd: "kswapd",
  direct: "tasks that needed memory (direct reclaim)",
};

/** What became of the pages that reclaim took off the inactive lists, over the whole trace. */
export function ReclaimPart({ machine, desk }: { machine: Machine; desk: MachineViewModel }) {
  const sums = useSums(machine, desk);
  if (!sums) return null;
  const some = (["kswapd", "direct"] as const).filter(
    (who) => sums[who].scanned > 0 || sums[who].batches > 0,
  );
  return (
    <section className="trace-reclaim" aria-labelledby="trace-reclaim">
      <h2 id="trace-reclaim">Reclaim in this trace</h2>
      {some.length === 0 && (
        <p className="trace-about">
          The trace has no <code>mm_vmscan_lru_isolate</code> and no{" "}
          <code>mm_vmscan_lru_shrink_inactive</code>: it does not say what became of pages.
          {machine.capture?.machine.lru_gen &&
            " This machine used the multi-generational LRU, which does not record them in every kernel."}
        </p>
      )}
      <div className="trace-funnels">
        {some.map((who) => (
          <Funnel key={who} who={WHO[who]} sum={sums[who]} />
        ))}
      </div>
    </section>
  );
}

interface Bar {
  readonly words: string;
  readonly why: string;
  readonly pages: number;
  readonly look: "whole" | "freed" | "part";
}

function barsOf(sum: TraceFunnel): Bar[] {
  const rest = unexplained(sum);
  const bars: Bar[] = [
    { words: "scanned", why: "", pages: sum.scanned, look: "whole" },
    { words: "isolated", why: "", pages: sum.isolated, look: "whole" },
    { words: "reclaimed", why: "", pages: sum.reclaimed, look: "freed" },
    ...PUT_BACK.map((name): Bar => {
      const [words, why] = PUT_BACK_WORDS[name];
      return { words, why, pages: sum.putBack[name] ?? 0, look: "part" };
    }),
  ];
  const why = "dirty, locked, or for a reason that the events do not print";
  if (rest > 0) bars.push({ words: "put back for other reasons", why, pages: rest, look: "part" });
  return bars.filter(({ pages, look }) => pages > 0 || look !== "part");
}

function Funnel({ who, sum }: { who: string; sum: TraceFunnel }) {
  const bars = barsOf(sum);
  const whole = Math.max(1, ...bars.map(({ pages }) => pages));
  const share = sum.scanned > 0 ? `, ${percent(sum.reclaimed / sum.scanned)} of those scanned` : "";
  return (
    <div className="trace-funnel">
      <h3>By {who}</h3>
      <p className="trace-about">
        {counted(sum.batches, "batch", "batches")}; {counted(sum.reclaimed, "page")} reclaimed
        {share}.{sum.dirty > 0 && ` Dirty pages found: ${count(sum.dirty)}.`}
      </p>
      <table className="trace-table" aria-label={`Pages reclaimed by ${who}`}>
        <tbody>
          {bars.map(({ words, why, pages, look }) => (
            <tr key={words}>
              <th scope="row">
                {words}
                {why && <small> {why}</small>}
              </th>
              <td className="trace-track">
                <i
                  className={`trace-${look}`}
                  style={{ inlineSize: `${(pages / whole) * 100}%` }}
                />
              </td>
              <td className="num">{count(pages)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function useSums(machine: Machine, desk: MachineViewModel): Sums | null {
  const [sums, setSums] = useState<Sums | null>(null);
  const catalog = useStore(desk.store, catalogOf);
  useEffect(() => {
    const info = machine.trace?.info;
    if (!info || !catalog) return;
    let isWanted = true;
    const kswapds = new Set(
      info.tasks.filter(({ comm }) => comm.startsWith("kswapd")).map(({ id }) => id),
    );
    sumsOf(desk.log(), catalog, info.stored, (task) => kswapds.has(task)).then(
      (found) => isWanted && setSums(found),
      () => {},
    );
    return () => {
      isWanted = false;
    };
  }, [machine, desk, catalog]);
  return sums;
}
