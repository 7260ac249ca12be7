import { useEffect, useMemo } from "react";
import { useRunViewModel, useRunViewState } from "../app/run-view-model";
import { momentOf } from "../app/store";
import { count, duration, percent } from "../engine/format";
import type { Doing, ReclaimWait, Series } from "../engine/rows";
import { canReplay, type Run } from "../engine/run";
import { actsWhen } from "../ui/acts";
import { zoomed } from "./frame";
import { Grip } from "./Grip";
import { useTotals } from "./hooks";
import { hasShortReclaims, waitsIn } from "./lanes";
import type { Totals } from "./moments";
import { DOING_WORDS, SHORT_WORDS, TOOLS } from "./words";

/** The zoom factor of one press. */
const ZOOM = 2;

/** The line above the open timeline: its legend or a range's totals, and its tools. */
export function Tools({
  session,
  series,
  known_ns,
}: {
  session: Run;
  series: Series;
  known_ns: number;
}) {
  const range = useRunViewState((state) => state.range);
  const tasks = session.frame?.view.tasks;
  // biome-ignore lint/correctness/useExhaustiveDependencies: tasks are looked through once for new rows
  const waits = useMemo(() => waitsIn(series, tasks ?? []), [series]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: tasks are looked through once for new rows
  const hasShort = useMemo(() => hasShortReclaims(series, tasks ?? []), [series]);
  return (
    <>
      <Grip />
      {range ? (
        <RangeWords session={session} series={series} />
      ) : (
        <Legend waits={waits} hasShort={hasShort} isTraced={!canReplay(session)} />
      )}
      <span className="sp" />
      <ZoomTools known_ns={known_ns} />
      <DialogButton name="tracks" words={TOOLS.counters} />
      {canReplay(session) && (
        <>
          <BookmarksButton />
          {!range && <DialogButton name="paid" words={TOOLS.paid} />}
          <DialogButton name="disturb" words={TOOLS.disturb} />
        </>
      )}
    </>
  );
}

const MARKS = ["running", "reclaiming", "throttled", "io", "asleep"] as const;

/** What a trace shows about a task. */
const TRACED_MARKS = ["running", "reclaiming", "throttled"] as const;

/** Reasons for throttling that have their own hatching. */
const WAITS: readonly ReclaimWait[] = ["isolated", "noprogress", "congested"];

/**
 * The legend of the lanes. Short reclaim and the hatchings of throttled tasks appear only if a lane
 * has them.
 */
function Legend({
  waits,
  hasShort,
  isTraced,
}: {
  waits: readonly ReclaimWait[];
  hasShort: boolean;
  /** The lanes come from a trace: what happens between two events is not known. */
  isTraced: boolean;
}) {
  return (
    <>
      {(isTraced ? TRACED_MARKS : MARKS).map((doing) => (
        <span key={doing} className="lane-key">
          <Mark doing={doing} />
          {doing === "reclaiming" && hasShort && <ShortMark />}
          {doing === "throttled" &&
            WAITS.filter((wait) => waits.includes(wait)).map((wait) => (
              <Mark key={wait} doing={wait} look="reason" />
            ))}
          {isTraced && doing === "running" ? TOOLS.traced : DOING_WORDS[doing]}
        </span>
      ))}
    </>
  );
}

function Mark({ doing, look }: { doing: Doing; look?: string }) {
  return (
    <svg width="20" height="12" aria-hidden="true" className={look}>
      <title>{DOING_WORDS[doing]}</title>
      <path className={`did-${doing}`} d={keyPath(doing)} />
    </svg>
  );
}

function ShortMark() {
  return (
    <svg width="20" height="12" aria-hidden="true">
      <title>{SHORT_WORDS}</title>
      <path className="did-short" d="M1 1.5h4v3h-4zM9 1.5h2v3h-2zM15 1.5h4v3h-4z" />
    </svg>
  );
}

function keyPath(doing: Doing): string {
  if (doing === "io" || doing === "asleep") return "M0 6.5h20";
  return doing === "running" ? "M0 4.5h20v4h-20z" : "M0.5 1.5h19v10h-19z";
}

function RangeWords({ session, series }: { session: Run; series: Series }) {
  const model = useRunViewModel();
  const range = useRunViewState((state) => state.range);
  const totals = useTotals(session, series);
  if (!range) return null;
  return (
    <>
      <span role="status" className="range-words">
        {TOOLS.rangeOf} <b>{duration(range[1] - range[0])}</b>
        {`: ${totals ? totalWords(totals) : TOOLS.counting}`}
      </span>
      <DialogButton name="range" words={TOOLS.allTotals} />
      {canReplay(session) && <DialogButton name="paid" words={TOOLS.paid} />}
      <button type="button" className="btn line tiny" onClick={() => model.keep({ window: range })}>
        {TOOLS.zoomToRange}
      </button>
      <button
        type="button"
        className="btn tiny"
        onClick={({ currentTarget }) => {
          currentTarget.parentElement?.querySelector("button")?.focus();
          model.keep({ range: null });
        }}
      >
        {TOOLS.clear}
      </button>
    </>
  );
}

/** The counters that are named if nothing was scanned, in this order. */
const NOTABLE = ["pgfault", "pgmajfault", "pgpgin", "pgpgout", "pswpin", "pswpout", "pgfree"];

/** The most informative totals of a range, in words. */
export function totalWords({ totals }: Pick<Totals, "totals">): string {
  const by = (name: string) => totals.find((total) => total.name === name)?.by ?? 0;
  const scanned = by("pgscan_kswapd") + by("pgscan_direct");
  const freed = by("pgsteal_kswapd") + by("pgsteal_direct");
  if (scanned > 0) {
    return TOOLS.scanned(scanned, freed, percent(freed / scanned));
  }
  const changed = NOTABLE.filter((name) => by(name) > 0).slice(0, 3);
  return changed.map((name) => `${name} +${count(by(name))}`).join(", ") || TOOLS.unchanged;
}

function ZoomTools({ known_ns }: { known_ns: number }) {
  const model = useRunViewModel();
  const window = useRunViewState((state) => state.window);
  const zoom = (by: number) => {
    const now_ns = Math.min(known_ns, momentOf(model.store.getState()));
    model.keep({ window: zoomed(window ?? [0, known_ns], now_ns, by, known_ns) });
  };
  // A window from a link may be beyond the end of this run.
  useEffect(() => {
    if (window && window[0] >= known_ns) model.keep({ window: null });
  }, [model, window, known_ns]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be a box
    <span role="group" aria-label={TOOLS.zoom}>
      <button
        type="button"
        className="btn line tiny"
        aria-label={TOOLS.lessTime}
        onClick={() => zoom(1 / ZOOM)}
      >
        +
      </button>
      <button
        type="button"
        className="btn line tiny"
        aria-label={TOOLS.moreTime}
        {...actsWhen(window !== null, () => zoom(ZOOM))}
      >
        −
      </button>
      {window && (
        <button
          type="button"
          className="btn line tiny"
          onClick={({ currentTarget }) => {
            // The button disappears with its effect, so the focus moves to its neighbour.
            currentTarget.parentElement?.querySelector("button")?.focus();
            model.keep({ window: null });
          }}
        >
          {TOOLS.wholeRun}
        </button>
      )}
    </span>
  );
}

function DialogButton({
  name,
  words,
}: {
  name: "tracks" | "range" | "paid" | "disturb";
  words: string;
}) {
  const model = useRunViewModel();
  return (
    <button
      type="button"
      className="btn line tiny"
      data-opens={name}
      onClick={() => model.showDialog(name)}
    >
      {words}
    </button>
  );
}

function BookmarksButton() {
  const model = useRunViewModel();
  const many = useRunViewState((state) => state.bookmarks.length);
  return (
    <button
      type="button"
      className="btn line tiny"
      data-opens="bookmarks"
      onClick={() => model.showDialog("bookmarks")}
    >
      {TOOLS.bookmarks}
      {many > 0 && <span className="badge">{many}</span>}
    </button>
  );
}
