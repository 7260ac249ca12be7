// The rows of both runs with the counters that both machines have.

import { useEffect, useMemo } from "react";
import { useStore } from "zustand";
import { usePair } from "../../app/pair/context";
import type { Session } from "../../app/store";
import { counterAt, endOf } from "../../app/watch";
import { readSeries, rowCounter, type Series } from "../../engine/rows";
import type { Catalog, Info } from "../../engine/types";

/** Both runs, as far as they are known. */
export interface BothSeries {
  readonly a: Series;
  readonly b: Series;
  /** The counters of each row, by name. */
  readonly counters: readonly string[];
}

/** Both sessions; null until both machines have their first moment. */
export function useSessions(): readonly [Session, Session] | null {
  const pair = usePair();
  const a = useStore(pair.a.store, (state) => state.session);
  const b = useStore(pair.b.store, (state) => state.session);
  return useMemo(() => (a?.frame && b?.frame ? [a, b] : null), [a, b]);
}

/** The names of the counters that both machines can have, also for each zone type. */
function commonCounters({ counters }: Catalog, a: Info, b: Info): string[] {
  const zones = a.zone_types.filter((type) => b.zone_types.includes(type)).map(endOf);
  return counters.flatMap(({ name, per }) => {
    if (per === "machine") return [name];
    if (per === "memory") return [`${name}_anon`, `${name}_file`];
    return zones.map((zone) => `${name}_${zone}`);
  });
}

/** The rows of both; null until both are open. Asks both engines for all counters they share. */
export function useBothSeries(sessions: readonly [Session, Session] | null): BothSeries | null {
  const pair = usePair();
  const catalog = useStore(pair.a.store, ({ engine }) =>
    engine.kind === "ready" ? engine.catalog : null,
  );
  const [a, b] = sessions ?? [null, null];
  const [infoA, infoB] = [a?.info ?? null, b?.info ?? null];
  const counters = useMemo(
    () => (catalog && infoA && infoB ? commonCounters(catalog, infoA, infoB) : []),
    [catalog, infoA, infoB],
  );
  useEffect(() => {
    if (!catalog || !infoA || !infoB) return;
    for (const [bench, info] of [
      [pair.a, infoA],
      [pair.b, infoB],
    ] as const) {
      bench.setTracks(
        counters.flatMap((name) => {
          const at = counterAt(name, { catalog, info });
          return at ? [at.a, at.b] : [];
        }),
      );
    }
  }, [pair, catalog, counters, infoA, infoB]);
  const seriesA = useSeries(a);
  const seriesB = useSeries(b);
  return useMemo(
    () => seriesA && seriesB && { a: seriesA, b: seriesB, counters },
    [seriesA, seriesB, counters],
  );
}

/** The rows of a run. While a known part is played, the rows that arrive are the same as before. */
function useSeries(session: Session | null): Series | null {
  const zones = session?.frame?.view.zones.length ?? 0;
  const step = session?.frame?.furthest.step ?? 0;
  const length = session?.timeline.length ?? 0;
  const info = session?.info;
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows are compared by run and length
  return useMemo(
    () => (session ? readSeries(session.timeline, zones) : null),
    [info, zones, step, length],
  );
}

/** The last value of a counter, by its index. */
export const lastValue = (series: Series, at: number): number =>
  rowCounter(series, series.length - 1, at);
