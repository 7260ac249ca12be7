import { useEffect, useRef, useState } from "react";
import { useMode, useWorkbench, useWorkbenchState } from "../../app/context";
import { clock, count } from "../../engine/format";
import type { Line } from "../../story/routine";
import { type Moment, textOf } from "../../story/telling";
import { Icon } from "../../ui/icons";
import { TICKER } from "../words";
import { MomentSentence, TaskName } from "./MomentSentence";
import { pastMoments } from "./past-moments";
import "./ticker.css";

/** The maximum number of chips in the line, and the number of history lines visible together. */
const CHIPS = 8;
const PORTION = 200;

/**
 * Past events in one line, newest first, each a link to its step. The line does not move while it
 * has the pointer or the focus. The history of earlier events opens upwards.
 */
export function Ticker() {
  const workbench = useWorkbench();
  const isPlaying = useMode() === "playing";
  const moments = useWorkbenchState((state) => state.story.moments);
  const step = useWorkbenchState((state) => state.session?.frame?.view.position.step ?? 0);
  const [held, setHeld] = useState<readonly Moment[] | null>(null);
  const [isOpen, setIsOpen] = useState(false);
  const box = useRef<HTMLElement>(null);
  useEffect(() => workbench.story.show(), [workbench]);
  const live = pastMoments(moments, step, CHIPS);
  const visible = isPlaying && held ? held : live;
  const hold = () => setHeld((before) => before ?? live);
  const letGo = () => {
    if (!box.current?.matches(":hover, :focus-within")) setHeld(null);
  };
  return (
    <section
      ref={box}
      className="ticker"
      aria-label={TICKER.title}
      onPointerEnter={hold}
      onPointerLeave={() => setTimeout(letGo)}
      onFocus={hold}
      onBlur={() => setTimeout(letGo)}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !isOpen) return;
        event.preventDefault();
        setIsOpen(false);
        box.current?.querySelector("button")?.focus();
      }}
    >
      <button
        type="button"
        className="btn icon history"
        aria-expanded={isOpen}
        aria-label={TICKER.before}
        title={TICKER.before}
        onClick={() => setIsOpen(!isOpen)}
      >
        <Icon name="down" />
      </button>
      <InPlace isEmpty={visible.length === 0} />
      {visible.length > 0 && (
        <ol>
          {visible.map((moment) => (
            <li key={keyOf(moment)}>
              <MomentLink moment={moment} />
            </li>
          ))}
        </ol>
      )}
      {isOpen && <History step={step} />}
    </section>
  );
}

const keyOf = (moment: Moment) => `${moment.step} ${moment.kind} ${textOf(moment.sentence)}`;

function MomentLink({ moment, hasTime = false }: { moment: Moment; hasTime?: boolean }) {
  const workbench = useWorkbench();
  return (
    <button
      type="button"
      className="story-sentence"
      title={TICKER.at(moment.time_ns, moment.step)}
      onClick={() => workbench.transport.seek({ kind: "step", step: moment.step })}
    >
      {hasTime && <span className="time-of">{clock(moment.time_ns)} s</span>}
      <span>
        <MomentSentence moment={moment} />
      </span>
    </button>
  );
}

/** The text shown when there is no sentence: what is awaited, repeated or searched for. */
function InPlace({ isEmpty }: { isEmpty: boolean }) {
  const line = useWorkbenchState((state) => state.story.line);
  const search = useWorkbenchState((state) => state.story.search);
  if (search) {
    return <p className="in-place">{TICKER.looking(search.words, search.at)}</p>;
  }
  if (line) {
    return (
      <p className="in-place">
        <LineWords line={line} />
      </p>
    );
  }
  return isEmpty ? <p className="in-place">{TICKER.nothing}</p> : null;
}

function LineWords({ line }: { line: Line }) {
  if (line.kind === "wait") return <>{line.words}</>;
  return (
    <>
      <TaskName id={line.task} otherwise={TICKER.kernel} /> {line.what} <b>({count(line.times)})</b>
    </>
  );
}

/** All moments read up to this step, oldest at the top. */
function History({ step }: { step: number }) {
  const moments = useWorkbenchState((state) => state.story.moments);
  const [many, setMany] = useState(PORTION);
  const list = useRef<HTMLElement>(null);
  const visible = pastMoments(moments, step, many);
  const hasMore = visible.length === many;
  useEffect(() => {
    const box = list.current;
    if (box) box.scrollTop = box.scrollHeight;
  }, []);
  return (
    <section ref={list} className="story-history" aria-label={TICKER.before}>
      {hasMore && (
        <button type="button" className="btn line tiny" onClick={() => setMany(many + PORTION)}>
          {TICKER.earlier}
        </button>
      )}
      {visible.length === 0 && <p>{TICKER.nothing}</p>}
      <ol>
        {[...visible].reverse().map((moment) => (
          <li key={keyOf(moment)}>
            <MomentLink moment={moment} hasTime />
          </li>
        ))}
      </ol>
    </section>
  );
}
