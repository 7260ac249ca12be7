import { useEffect, useState } from "react";
import { useStore } from "zustand";
import { catalogOf } from "../../app/run-view-model";
import type { Machine } from "../../engine/capture/open";
import { count } from "../../engine/format";
import { RichText } from "../../ui/rich-text";
import type { MachineViewModel } from "./machine-view-model";
import {
  PUT_BACK,
  PUT_BACK_WORDS,
  type Reclaimer,
  sumsOf,
  type TraceFunnel,
  unexplained,
} from "./reclaim";
import { RECLAIM_PART } from "./words";

type Sums = Readonly<Record<Reclaimer, TraceFunnel>>;

const WHO: Readonly<Record<Reclaimer, string>> = {
  kswapd: "kswapd",
  direct: RECLAIM_PART.tasksThatNeededMemory,
};

/**
 * What happened to the pages that reclaim isolated from the inactive lists, over the whole trace.
 */
export function ReclaimPart({ machine, model }: { machine: Machine; model: MachineViewModel }) {
  const sums = useSums(machine, model);
  if (!sums) return null;
  const some = (["kswapd", "direct"] as const).filter(
    (who) => sums[who].scanned > 0 || sums[who].batches > 0,
  );
  return (
    <section className="trace-reclaim" aria-labelledby="trace-reclaim">
      <h2 id="trace-reclaim">{RECLAIM_PART.reclaimInThisTrace}</h2>
      {some.length === 0 && (
        <p className="trace-about">
          <RichText
            text={RECLAIM_PART.noEvents(machine.capture?.machine.lru_gen)}
            parts={{ code: (text) => <code>{text}</code> }}
          />
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
    { words: RECLAIM_PART.scanned, why: "", pages: sum.scanned, look: "whole" },
    { words: RECLAIM_PART.isolated, why: "", pages: sum.isolated, look: "whole" },
    { words: RECLAIM_PART.reclaimed, why: "", pages: sum.reclaimed, look: "freed" },
    ...PUT_BACK.map((name): Bar => {
      const [words, why] = PUT_BACK_WORDS[name];
      return { words, why, pages: sum.putBack[name] ?? 0, look: "part" };
    }),
  ];
  const why = RECLAIM_PART.otherReasons;
  if (rest > 0)
    bars.push({ words: RECLAIM_PART.putBackForOtherReasons, why, pages: rest, look: "part" });
  return bars.filter(({ pages, look }) => pages > 0 || look !== "part");
}

function Funnel({ who, sum }: { who: string; sum: TraceFunnel }) {
  const bars = barsOf(sum);
  const whole = Math.max(1, ...bars.map(({ pages }) => pages));
  const share = sum.scanned > 0 ? RECLAIM_PART.ofThoseScanned(sum.reclaimed / sum.scanned) : "";
  return (
    <div className="trace-funnel">
      <h3>{RECLAIM_PART.by(who)}</h3>
      <p className="trace-about">
        {RECLAIM_PART.summary(sum.batches, sum.reclaimed, share, sum.dirty)}
      </p>
      <table className="trace-table" aria-label={RECLAIM_PART.pagesReclaimedBy(who)}>
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

function useSums(machine: Machine, model: MachineViewModel): Sums | null {
  const [sums, setSums] = useState<Sums | null>(null);
  const catalog = useStore(model.store, catalogOf);
  useEffect(() => {
    const info = machine.trace?.info;
    if (!info || !catalog) return;
    let isCurrent = true;
    const kswapds = new Set(
      info.tasks.filter(({ comm }) => comm.startsWith("kswapd")).map(({ id }) => id),
    );
    sumsOf(model.log(), catalog, info.stored, (task) => kswapds.has(task)).then(
      (found) => isCurrent && setSums(found),
      () => {},
    );
    return () => {
      isCurrent = false;
    };
  }, [machine, model, catalog]);
  return sums;
}
