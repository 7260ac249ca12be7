// Data about the machine that the timeline needs in addition to its frame.

import { useEffect, useMemo, useState } from "react";
import { catalogOf, useRunViewModel, useRunViewState } from "../app/run-view-model";
import type { Stretch } from "../app/store";
import { counterAt, endOf } from "../app/watch";
import { readSeries, type Series } from "../engine/rows";
import type { Run, RunCounter } from "../engine/run";
import { finer, type Totals, totalsOf } from "./moments";

/** The counters among `names` that this machine has. */
function useCounters(names: readonly string[]): readonly RunCounter[] {
  const model = useRunViewModel();
  const info = useRunViewState((state) => state.session?.info);
  const isSeen = useRunViewState((state) => state.session?.frame != null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another machine may have other counters
  return useMemo(() => {
    const state = model.store.getState();
    const { session } = state;
    const catalog = catalogOf(state);
    if (!catalog || !session?.frame) return [];
    const own = session.counters;
    if (own) return names.flatMap((name) => own.find((counter) => counter.name === name) ?? []);
    return names.flatMap((name) => {
      const watched = counterAt(name, { catalog, info: session.info });
      return watched ? [{ name, pair: [watched.a, watched.b] as const }] : [];
    });
  }, [model, names, info, isSeen]);
}

/** The counters drawn over time; also sends them to the engine. */
export function useTracks(): readonly RunCounter[] {
  const model = useRunViewModel();
  const names = useRunViewState((state) => state.tracks);
  const tracks = useCounters(names);
  useEffect(() => {
    model.setTracks(tracks.flatMap(({ pair }) => pair));
  }, [model, tracks]);
  return tracks;
}

/** The data of the chart: the whole known run or a part of it, with as many samples as possible. */
export interface ChartData {
  readonly series: Series;
  readonly from_ns: number;
  readonly to_ns: number;
}

/** The moments to draw. */
export function useChartData(
  session: Run,
  whole: Series,
  known_ns: number,
  tracks: readonly RunCounter[],
): ChartData {
  const model = useRunViewModel();
  const window = useRunViewState((state) => state.window);
  const isPaused = useRunViewState(
    ({ longRun, session: now }) => !longRun && now?.frame?.mode.kind === "paused",
  );
  const [fine, setFine] = useState<{ of: Run["info"]; window: Stretch; series: Series } | null>(
    null,
  );
  const zones = whole.zones;
  // The contents of the window no longer change once the run has passed the window.
  const reach_ns = window ? Math.min(window[1], known_ns) : 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the whole run's rows only find its steps
  useEffect(() => {
    if (!window || !isPaused) return;
    let isCurrent = true;
    const pairs = tracks.flatMap(({ pair }) => pair);
    const ask = model.log();
    finer(ask, whole, [window[0], reach_ns], pairs, () => isCurrent)
      .then((rows) => {
        if (isCurrent && rows)
          setFine({ of: session.info, window, series: readSeries(rows, zones) });
      })
      // Another experiment was opened, with its own rows.
      .catch(() => {})
      .finally(() => void ask({ kind: "end" }).catch(() => {}));
    return () => {
      isCurrent = false;
    };
  }, [model, session.info, window, reach_ns, tracks, isPaused, zones]);
  if (!window) return { series: whole, from_ns: 0, to_ns: known_ns };
  // Rows of another run are not used, even if its window is the same.
  const series = fine?.window === window && fine.of === session.info ? fine.series : whole;
  return { series, from_ns: window[0], to_ns: Math.max(window[0] + 1, window[1]) };
}

/** The totals of the chosen range; null while they are collected, or if no range is chosen. */
export function useTotals(session: Run, whole: Series): Totals | null {
  const model = useRunViewModel();
  const range = useRunViewState((state) => state.range);
  const isPaused = useRunViewState(
    ({ longRun, session: now }) => !longRun && now?.frame?.mode.kind === "paused",
  );
  const names = useAllCounters();
  const counters = useCounters(names);
  const [found, setFound] = useState<{
    of: Run["info"];
    range: Stretch;
    totals: Totals;
  } | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the whole run's rows only find its steps
  useEffect(() => {
    if (!range || !isPaused || counters.length === 0) return;
    let isCurrent = true;
    const ask = model.log();
    totalsOf(ask, whole, range, counters, () => isCurrent)
      .then((totals) => {
        if (isCurrent && totals) setFound({ of: session.info, range, totals });
      })
      .catch(() => {})
      .finally(() => void ask({ kind: "end" }).catch(() => {}));
    return () => {
      isCurrent = false;
    };
  }, [model, session.info, range, counters, isPaused]);
  return range && found?.range === range && found.of === session.info ? found.totals : null;
}

/** The names of all counters of this machine, also for each zone type, anon and file. */
export function useAllCounters(): readonly string[] {
  const counters = useRunViewState((state) => catalogOf(state)?.counters);
  const info = useRunViewState((state) => state.session?.info);
  const own = useRunViewState((state) => state.session?.counters);
  return useMemo(() => {
    if (own) return own.map(({ name }) => name);
    if (!counters || !info) return [];
    return counters.flatMap(({ name, per }) => {
      if (per === "machine") return [name];
      if (per === "memory") return [`${name}_anon`, `${name}_file`];
      return info.zone_types.map((type) => `${name}_${endOf(type)}`);
    });
  }, [counters, info, own]);
}
