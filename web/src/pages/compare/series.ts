// The rows of both runs with the counters that both machines have.

import { useEffect, useMemo } from "react";
import { useStore } from "zustand";
import { usePair } from "../../app/pair/context";
import type { Session } from "../../app/store";
import { counterAt } from "../../app/watch";
import { readSeries, rowCounter, type Series } from "../../engine/rows";
import type { Catalog } from "../../engine/types";

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

/** The names of the counters that both machines have. */
function commonCounters(catalog: Catalog, [a, b]: readonly [Session, Session]): string[] {
  const names = new Set(b.frame?.view.counters.map(([name]) => name));
  return (a.frame?.view.counters ?? [])
    .map(([name]) => name)
    .filter(
      (name) =>
        names.has(name) &&
        counterAt(name, { catalog, info: a.info }) !== null &&
        counterAt(name, { catalog, info: b.info }) !== null,
    );
}

/** The rows of both; null until both are open. Asks both engines for all counters they share. */
export function useBothSeries(sessions: readonly [Session, Session] | null): BothSeries | null {
  const pair = usePair();
  const catalog = useStore(pair.a.store, ({ engine }) =>
    engine.kind === "ready" ? engine.catalog : null,
  );
  const [a, b] = sessions ?? [null, null];
  const [infoA, infoB] = [a?.info ?? null, b?.info ?? null];
  // biome-ignore lint/correctness/useExhaustiveDependencies: the names change only with the machines
  const counters = useMemo(
    () => (catalog && sessions ? commonCounters(catalog, sessions) : []),
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

function useSeries(session: Session | null): Series | null {
  const zones = session?.frame?.view.zones.length ?? 0;
  const timeline = session?.timeline;
  return useMemo(() => (timeline ? readSeries(timeline, zones) : null), [timeline, zones]);
}

/** The last value of a counter, by its index. */
export const lastValue = (series: Series, at: number): number =>
  rowCounter(series, series.length - 1, at);
