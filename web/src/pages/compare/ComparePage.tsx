// Two machines side by side: both stages with the fork between them, both runs over time, and the
// differences of all counters.

import { useCallback, useEffect, useMemo, useState } from "react";
import { useStore } from "zustand";
import { keyWords } from "../../app/keys";
import { usePair, usePairState } from "../../app/pair/context";
import type { Pair, Side } from "../../app/pair/pair";
import type { Session } from "../../app/store";
import { type PairMark, pairMarks } from "../../draw/pair";
import { useRecordedRuns } from "../../keep/record-runs";
import { type CompareAddress, writeFragment } from "../../link/router";
import { Legend } from "../../stage/Legend";
import { ReservePattern } from "../../stage/ReservePattern";
import { pageZoom, useFit } from "../../ui/fit";
import { PageBar } from "../../ui/page-bar";
import { useAddress, useOpenAddress } from "./address";
import { ChooseDialog } from "./ChooseDialog";
import { Differences } from "./Differences";
import { Fork } from "./Fork";
import { PAIR_COMMANDS, usePairKeys } from "./keys";
import { PairTimeline } from "./PairTimeline";
import { Pane } from "./Pane";
import { PhoneTabs, useSwipe } from "./PhoneTabs";
import { Refusals } from "./Refusals";
import { useSameScroll } from "./same-scroll";
import { type BothSeries, lastValue, useBothSeries, useSessions } from "./series";
import { Transport } from "./Transport";
import { KEYS, PAGE, TRANSPORT } from "./words";
import "./compare.css";

/** The number of differing counters that are drawn by default. */
const FIRST_DRAWN = 3;
/** The maximum number of counters that are drawn. */
const MOST_DRAWN = 8;

/** The page that compares. */
export function ComparePage({ address }: { address: CompareAddress }) {
  const pair = usePair();
  const { look, text, hasTouch } = useFit();
  const [choosing, setChoosing] = useState<Side | null>(null);
  useOpenAddress(pair, address);
  useAddress(pair);
  useRecordedRuns(pair.a, "compare");
  useRecordedRuns(pair.b, "compare");
  const known = useStore(pair.a.store, ({ engine }) => (engine.kind === "ready" ? engine : null));
  const sessions = useSessions();
  useSearchOnce(pair, sessions);
  const series = useBothSeries(sessions);
  const marks = useMarks(sessions, series);
  const { drawn, draw } = useDrawn(sessions, series);
  const next = useNext(pair, marks);
  usePairKeys(pair, next);
  const isPhone = look === "phone";
  const swipe = useSwipe();
  useSameScroll(swipe.box);
  useEffect(() => {
    document.title = `${PAGE.title} · mmscope`;
  }, []);
  return (
    <div
      className="compare-page"
      data-look={look}
      data-touch={hasTouch || undefined}
      style={pageZoom(text)}
    >
      <PageBar crumb={<Title sessions={sessions} />} />
      <Transport next={next} />
      <Notice />
      <main className="compare-main">
        {isPhone && <PhoneTabs shown={swipe.shown} show={swipe.show} />}
        <section
          ref={swipe.box}
          className="compare-panes"
          aria-label={PAGE.regions}
          tabIndex={isPhone ? 0 : undefined}
        >
          <Pane pair={pair} side="a" choose={() => setChoosing("a")} />
          <Fork />
          <Pane pair={pair} side="b" choose={() => setChoosing("b")} />
        </section>
        <Legend isOfCells={sessions?.some(({ info }) => !info.teaching) ?? false} />
        {sessions && series && (
          <>
            <PairTimeline sessions={sessions} series={series} marks={marks} drawn={drawn} />
            <Differences drawable={series.counters} drawn={drawn} draw={draw} />
          </>
        )}
        <Help />
      </main>
      <Narrator pair={pair} />
      <ReservePattern />
      {choosing && known && (
        <ChooseDialog side={choosing} known={known} close={() => setChoosing(null)} />
      )}
    </div>
  );
}

function Title({ sessions }: { sessions: readonly [Session, Session] | null }) {
  const [a, b] = sessions ?? [null, null];
  return (
    <>
      <span>{PAGE.title}</span>
      <h1 tabIndex={-1}>{a && b ? PAGE.heading(titleOf(a), titleOf(b)) : PAGE.title}</h1>
    </>
  );
}

/** The title of an experiment, without the remark that it was changed. */
const titleOf = ({ info }: Session) => info.title.replace(/ \(changed\)$/, "") || PAGE.title;

/** Why a side did not open, or what has just happened. */
function Notice() {
  const notice = usePairState((state) => state.notice);
  const faults = usePairState((state) => state.faults);
  return (
    <>
      {(["a", "b"] as const).map(
        (side) =>
          faults[side].length > 0 && (
            <div key={side} role="alert" className="compare-fault">
              <h2>{PAGE.refused[side]}</h2>
              <Refusals refusals={faults[side]} />
            </div>
          ),
      )}
      <p className="compare-notice" role="status">
        {notice}
      </p>
    </>
  );
}

/** Small runs are searched automatically; the user starts the search for large runs. */
function useSearchOnce(pair: Pair, sessions: readonly [Session, Session] | null) {
  const [a, b] = sessions ?? [null, null];
  const [infoA, infoB] = [a?.info ?? null, b?.info ?? null];
  useEffect(() => {
    if (infoA?.teaching && infoB?.teaching) void pair.search();
  }, [pair, infoA, infoB]);
}

const NO_MARKS: readonly PairMark[] = [];

function useMarks(
  sessions: readonly [Session, Session] | null,
  series: BothSeries | null,
): readonly PairMark[] {
  const divergence = usePairState((state) => state.divergence);
  const fork_ns = divergence.kind === "found" ? divergence.time_ns : null;
  const tasks = Math.max(0, ...(sessions ?? []).map(({ frame }) => frame?.view.tasks.length ?? 0));
  return useMemo(
    () => (series && fork_ns !== null ? pairMarks(series.a, series.b, fork_ns, tasks) : NO_MARKS),
    [series, fork_ns, tasks],
  );
}

/** The counters that are drawn: first those that differ most, then those that the user chose. */
function useDrawn(sessions: readonly [Session, Session] | null, series: BothSeries | null) {
  const [chosen, setChosen] = useState<readonly string[] | null>(null);
  const [infoA, infoB] = [sessions?.[0].info, sessions?.[1].info];
  // Rows without the counters arrive before rows with them.
  const isKnown =
    series !== null && series.a.counters > 0 && series.a.counters === series.b.counters;
  // biome-ignore lint/correctness/useExhaustiveDependencies: chosen once for each pair of runs
  const first = useMemo(() => (isKnown ? mostDifferent(series) : []), [infoA, infoB, isKnown]);
  const drawn = chosen ?? first;
  const draw = useCallback(
    (name: string) =>
      setChosen(
        drawn.includes(name)
          ? drawn.filter((one) => one !== name)
          : [...drawn, name].slice(-MOST_DRAWN),
      ),
    [drawn],
  );
  return { drawn, draw };
}

function mostDifferent({ a, b, counters }: BothSeries): readonly string[] {
  const rows = counters.map((name, at) => {
    const [inA, inB] = [lastValue(a, at), lastValue(b, at)];
    return {
      name,
      share: inA === inB ? 0 : Math.abs(inA - inB) / Math.max(inA, inB),
      size: Math.abs(inA - inB),
    };
  });
  return rows
    .filter(({ share }) => share > 0)
    .sort((x, y) => y.share * Math.log1p(y.size) - x.share * Math.log1p(x.size))
    .slice(0, FIRST_DRAWN)
    .map(({ name }) => name);
}

/** Goes to the next moment at which the runs diverge. */
function useNext(pair: Pair, marks: readonly PairMark[]): () => void {
  return useCallback(() => {
    const { divergence } = pair.store.getState();
    const now = pair.moment();
    if (!now) return;
    if (divergence.kind === "found" && now.a.position.step < divergence.step)
      return pair.openDivergence();
    const now_ns = Math.max(now.a.position.time_ns, now.b.position.time_ns);
    const mark = marks.find(({ kind, time_ns }) => kind === "diverges" && time_ns > now_ns);
    if (mark) pair.seek({ kind: "time", time_ns: mark.time_ns });
    else pair.store.setState({ notice: TRANSPORT.noNext });
  }, [pair, marks]);
}

/** The live region: the sentence of the machine that leads. */
function Narrator({ pair }: { pair: Pair }) {
  const lead = usePairState((state) => state.lead);
  const said = useStore(pair[lead].store, (state) => state.announcement);
  return (
    <p className="sr" aria-live="polite">
      {said}
    </p>
  );
}

function Help() {
  return (
    <details className="compare-keys">
      <summary>{KEYS.title}</summary>
      <dl>
        {PAIR_COMMANDS.map(({ keys, does }) => (
          <div key={does}>
            <dt>
              {keys.slice(0, 2).map((key) => (
                <kbd key={key}>{keyWords(key)}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <a href={writeFragment({ page: "doc", doc: "manual", section: "compare-two-machines" })}>
        {PAGE.help}
      </a>
    </details>
  );
}
