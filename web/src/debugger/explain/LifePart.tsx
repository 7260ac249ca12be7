import { useLayoutEffect, useMemo, useRef, useState } from "react";
import { useWorkbench, useWorkbenchState } from "../../app/context";
import { litSelected } from "../../app/selection";
import { indexOfPfn } from "../../draw/map/pagemap";
import { STATES, stateOf } from "../../draw/states";
import { count, hex } from "../../engine/format";
import type { Frame } from "../../engine/protocol";
import type { Info, Span, View } from "../../engine/types";
import { MOST } from "../../log/keeper";
import { Name } from "../../ui/lit";
import { Sentence } from "../../ui/sentence";
import { Swatch } from "../../ui/swatch";
import { LookLine, moveByArrows, When } from "./bits";
import type { PartProps } from "./ExplainPanel";
import { type LifeStep, lifeOf, turnsOf } from "./life";
import { type LifeLog, useLife } from "./useLife";
import { LIFE_PART } from "./words";

/** The maximum number of steps of a life to draw; the newest are drawn. */
const DRAWN = 200;

/** The life of the selected page frame, or of the one in the last step. */
export function LifePart(props: PartProps) {
  const workbench = useWorkbench();
  const chosen = useWorkbenchState(
    (state) => litSelected(state).findLast((key) => key.startsWith("page ")) ?? null,
  );
  const { frame, info } = props;
  const last = pageOfStep(frame.view);
  const pfn = chosen ? Number(chosen.slice("page ".length)) : info.teaching ? last : null;
  if (pfn !== null && exists(info, pfn)) {
    return <Life key={pfn} pfn={pfn} isChosen={chosen !== null} {...props} />;
  }
  return (
    <p className="else">
      {LIFE_PART.selectPageFrame}
      {last !== null && (
        <button
          type="button"
          className="btn line tiny"
          onClick={() => workbench.select(`page ${last}`)}
        >
          {LIFE_PART.pageOfLastStep(last)}
        </button>
      )}
    </p>
  );
}

/** The page frame of the last step. */
function pageOfStep({ events, why }: View): number | null {
  const event = events.find(({ pfn }) => pfn !== null);
  if (event) return event.pfn;
  const span = why?.sentence.find(({ kind }) => kind === "page");
  return span?.kind === "page" ? span.pfn : null;
}

const exists = ({ nodes }: Info, pfn: number) =>
  nodes.some(({ ranges }) => ranges.some(([first, pages]) => pfn >= first && pfn < first + pages));

function Life({
  pfn,
  isChosen,
  info,
  frame,
  words,
  isPaused,
}: PartProps & { pfn: number; isChosen: boolean }) {
  const { step } = frame.view.position;
  const log = useLife(info, pfn, step, isPaused);
  const life = useMemo(() => lifeOf(log.rows, words, step), [log.rows, words, step]);
  return (
    <div className="life">
      <div className="hd">
        <h3 className="label">
          <Name k={`page ${pfn}`}>{hex(pfn)}</Name>
          {!isChosen && <span className="cap"> {LIFE_PART.ofLastStep}</span>}
        </h3>
        <StateNow info={info} frame={frame} pfn={pfn} />
      </div>
      <LookLine
        progress={log.look}
        failure={log.failure}
        isStopped={log.isStopped && log.from > 0}
        stop={log.stop}
        goOn={log.goOn}
      >
        {log.to > 0 && summary(life, log)}
      </LookLine>
      <Steps key={pfn} life={life} here={step} pfn={pfn} />
    </div>
  );
}

/** The frame's present content, on a machine with all frames drawn. */
function StateNow({ info, frame, pfn }: { info: Info; frame: Frame; pfn: number }) {
  for (const [i, { ranges }] of info.nodes.entries()) {
    const index = indexOfPfn(ranges, pfn);
    const map = frame.maps[i];
    if (index === null || map?.kind !== "frames") continue;
    const state = STATES[stateOf(map.states[index] ?? 0)];
    if (!state) return null;
    return (
      <span className="cap state">
        <Swatch token={state.token} /> {LIFE_PART.wordsNow(state.words)}
      </span>
    );
  }
  return null;
}

/** The number of listed events, and the step of the first one. */
function summary(life: readonly LifeStep[], log: LifeLog): string {
  if (log.isRecentOnly) return LIFE_PART.recentOnly;
  const from = log.from === 0 ? "boot" : `#${count(log.from)}`;
  if (life.length === 0) return LIFE_PART.nothingHappened(from);
  const { allocated, freed } = turnsOf(life);
  const times = (did: string, n: number) =>
    n === 0 ? LIFE_PART.never(did) : n === 1 ? LIFE_PART.once(did) : LIFE_PART.times(did, n);
  const most = log.rows.count >= MOST ? LIFE_PART.earlierEventsAreNotKept : "";
  return `From ${from} to now: ${times("allocated", allocated)}, ${times("freed", freed)}.${most}`;
}

function Steps({ life, here, pfn }: { life: readonly LifeStep[]; here: number; pfn: number }) {
  const [drawn, setDrawn] = useState(DRAWN);
  const list = useRef<HTMLOListElement>(null);
  const newest = life.at(-1)?.step;
  // Keeps the newest step in view, unless the user has scrolled to earlier steps.
  // biome-ignore lint/correctness/useExhaustiveDependencies: follows the listed events
  useLayoutEffect(() => {
    if (list.current) list.current.scrollTop = list.current.scrollHeight;
  }, [newest, life.length]);
  const latest = life.slice(-drawn);
  return (
    <ol
      ref={list}
      className="life-steps"
      aria-label={LIFE_PART.whatHappened}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling list must be reachable by keyboard
      tabIndex={0}
      onKeyDown={moveByArrows}
    >
      {life.length > latest.length && (
        <li className="earlier">
          <button
            type="button"
            className="btn line tiny"
            tabIndex={-1}
            onClick={() => setDrawn(drawn + DRAWN)}
          >
            {LIFE_PART.earlierSteps(life.length - latest.length)}
          </button>
        </li>
      )}
      {latest.map((entry) => (
        <LifeEvents key={entry.step} entry={entry} isHere={entry.step === here} pfn={pfn} />
      ))}
    </ol>
  );
}

/** Removes the link from the frame's own name: the whole list is about this frame. */
const unlinked = (span: Span, pfn: number): Span =>
  span.kind === "page" && span.pfn === pfn ? { kind: "number", text: span.text } : span;

function LifeEvents({ entry, isHere, pfn }: { entry: LifeStep; isHere: boolean; pfn: number }) {
  const { step, time_ns, task, taskName, events } = entry;
  return (
    <li className={isHere ? "here" : ""} aria-current={isHere ? "step" : undefined}>
      <p className="when">
        <When step={step} time_ns={time_ns} tabIndex={-1} />{" "}
        <Name k={`task ${task}`} tabIndex={-1}>
          {taskName}
        </Name>
        {isHere && <b> {LIFE_PART.here}</b>}
      </p>
      {events.map(({ spans, isDecision }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the events of a step keep their order
        <p key={i} className={isDecision ? "decided" : "happened"}>
          <Sentence spans={spans.map((span) => unlinked(span, pfn))} tabIndex={-1} />
        </p>
      ))}
    </li>
  );
}
