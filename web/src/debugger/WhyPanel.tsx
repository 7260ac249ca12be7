import { lazy, Suspense, useState } from "react";
import { useWorkbench, useWorkbenchState } from "../app/context";
import { isMadeLit } from "../app/selection";
import { aboveLine, markLabel, numberLine } from "../draw/numberline";
import { absentWords } from "../engine/absent";
import { endWords } from "../engine/end";
import { count, zoneWords } from "../engine/format";
import type { Frame } from "../engine/protocol";
import type { Compare, FunctionInfo, Info, View } from "../engine/types";
import { actsWhen } from "../ui/acts";
import { useFit } from "../ui/fit";
import { Name } from "../ui/lit";
import { RichText } from "../ui/rich-text";
import { Sentence } from "../ui/sentence";
import { type DecisionHistory, FRESH_STEPS, NO_DECISIONS, withMoment } from "./decision-history";
import type { Failed } from "./wake";
import { WHY_PANEL } from "./words";

const WhyBranches = lazy(() =>
  import("./explain/ExplainPanel").then(({ WhyBranches: B }) => ({ default: B })),
);

const WIDEST_PX = 328;
/** The width to use until the panel is measured, or if it cannot be measured. */
const NARROWEST_PX = 120;

interface WhyProps {
  readonly frame: Frame;
  readonly info: Info;
  /** All modelled functions, to name the next line. */
  readonly functions: readonly FunctionInfo[];
  /** A long run is in progress, and the drawn frame is older than the run's position. */
  readonly isLongRun?: boolean;
}

/** The decisions up to the frame that is shown, by {@link withMoment}. */
function useDecisions(frame: Frame, info: Info): DecisionHistory {
  const [seen, setSeen] = useState<{ frame: Frame | null; history: DecisionHistory }>({
    frame: null,
    history: NO_DECISIONS,
  });
  if (seen.frame === frame) return seen.history;
  const history = withMoment(seen.history, frame.view, info, frame.cause);
  setSeen({ frame, history });
  return history;
}

/** The reason for the last decision, with the numbers that the kernel compared. */
export function WhyPanel({ frame, info, functions, isLongRun = false }: WhyProps) {
  const { view, mode } = frame;
  const { position, tasks } = view;
  const last = useDecisions(frame, info).decisions.at(-1);
  const isRunning = mode.kind === "playing" || isLongRun;
  const isStale = isRunning && last !== undefined && position.step - last.step > FRESH_STEPS;
  const decision = isLongRun || isStale ? undefined : last;
  const ran = tasks.find(({ id }) => id === view.ran);
  const [isOpen, setOpen] = useState(false);
  const isDecided = useWorkbenchState((state) => isMadeLit(decision?.why.fn ?? null, state));
  return (
    <section className="why" aria-label={WHY_PANEL.why}>
      <div className="hd">
        <h2 className="label">{WHY_PANEL.why}</h2>
        <span className="cap">
          {decision
            ? WHY_PANEL.onCpu(decision.task, decision.why.cpu)
            : ran && WHY_PANEL.onCpu(ran.name, ran.cpu)}
          {decision && decision.step !== position.step && <DecidedAt step={decision.step} />}
        </span>
        <button
          type="button"
          className="btn tiny"
          // An empty panel keeps its height, so that the content below does not move.
          style={{ visibility: decision ? undefined : "hidden" }}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {WHY_PANEL.branches}
        </button>
      </div>
      <div className="why-room">
        <p className={isDecided ? "sentence made" : "sentence"}>
          {decision ? (
            <Sentence spans={decision.why.sentence} />
          ) : (
            <Undecided view={view} functions={functions} isRunning={isRunning} />
          )}
        </p>
        {position.step === 0 && <Absent kernel={info.kernel} />}
        {decision && decision.failed.length > 0 && <FailedZones failed={decision.failed} />}
        {decision?.why.compare && decision.failed.length < 2 && (
          <NumberLine compare={decision.why.compare} />
        )}
        {isOpen && decision && (
          <p className="else">
            <Suspense>
              <WhyBranches decision={decision.why.name} />
            </Suspense>
          </p>
        )}
        {position.ended && <p className="else">{endWords(view)}</p>}
      </div>
    </section>
  );
}

/** Before the first step: the parts of the kernel that the engine leaves out. */
function Absent({ kernel }: { kernel: string }) {
  const words = useWorkbenchState(({ engine }) =>
    engine.kind === "ready" ? absentWords(engine.catalog, kernel) : null,
  );
  return words === null ? null : <p className="else">{WHY_PANEL.model(kernel, words)}</p>;
}

/** A link to the step of an earlier decision. */
function DecidedAt({ step }: { step: number }) {
  const workbench = useWorkbench();
  return (
    <>
      {", "}
      <RichText
        text={WHY_PANEL.at}
        parts={{
          step: (
            <button
              type="button"
              className="name"
              aria-label={WHY_PANEL.goToStep(step)}
              onClick={() => workbench.transport.seek({ kind: "step", step })}
            >
              #{count(step)}
            </button>
          ),
        }}
      />
    </>
  );
}

/**
 * Every zone that failed, with a link to the step at which its free pages last crossed the
 * watermark.
 */
function FailedZones({ failed }: { failed: readonly Failed[] }) {
  const workbench = useWorkbench();
  const isPaused = useWorkbenchState(
    ({ session, longRun }) => !longRun && session?.frame?.mode.kind === "paused",
  );
  return (
    <ul className="failed" aria-label={WHY_PANEL.failedZones}>
      {failed.map(({ key, free, counted, mark, pages, reserved: history }) => (
        <li key={key}>
          <span>
            <RichText
              text={WHY_PANEL.failedZone(counted, mark, history)}
              parts={{
                key: <Name k={`zone ${key}`}>{zoneWords(key)}</Name>,
                free: <b>{count(free)}</b>,
                pages: <b>{count(pages)}</b>,
              }}
            />
          </span>
          <button
            type="button"
            className="name"
            aria-label={WHY_PANEL.crossedLabel(key, mark)}
            {...actsWhen(isPaused, () =>
              workbench.stops.lastChange({ kind: "mark", zone: key, mark }),
            )}
          >
            {WHY_PANEL.crossed}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** After a step without a decision: names the task's function and its next line. */
function Undecided({
  view,
  functions,
  isRunning,
}: {
  view: View;
  functions: readonly FunctionInfo[];
  isRunning: boolean;
}) {
  const { stack, tasks, ran, position } = view;
  if (isRunning) {
    return <span className="dim">{WHY_PANEL.running}</span>;
  }
  if (position.step === 0) {
    return <span className="dim">{WHY_PANEL.booted}</span>;
  }
  const task = tasks.find(({ id }) => id === (view.followed ?? ran));
  const current = stack[0] && functions[stack[0].function];
  const line = stack[0] && current?.lines[stack[0].line]?.text;
  if (!task || !current?.file || line === undefined) {
    return <span className="dim">{WHY_PANEL.undecided(task?.name)}</span>;
  }
  return <span className="dim">{WHY_PANEL.nextLine(task.name, current.name, line)}</span>;
}

function NumberLine({ compare }: { compare: Compare }) {
  const { label, value, against, against_label, marks, passed } = compare;
  const width = Math.max(NARROWEST_PX, Math.min(WIDEST_PX, useFit().width_px - 32));
  const drawn = numberLine(compare, 10, width - 10);
  const difference = value - against;
  const words = WHY_PANEL.compared(label, value, against_label, against, passed);
  const own = `${label} ${count(value)}${drawn.is_beyond ? " →" : ""}`;
  const apart = differenceWords(difference, marks.length > 0);
  const above = aboveLine(drawn, own, apart, width);
  return (
    <svg className="compare" width={width} height="48" role="img" aria-label={words}>
      <rect x="10" y="17" width={Math.max(0, drawn.value_x - 10)} height="8" fill="var(--free)" />
      <line x1="10" x2={width - 10} y1="25.5" y2="25.5" stroke="var(--rule-2)" />
      {drawn.marks.map(({ name, value: mark, x, label_x, anchor, is_compared }) => (
        <g key={`${name} ${mark}`} className={is_compared ? "is-now" : ""}>
          <line
            x1={x}
            x2={x}
            y1={is_compared ? 8 : 14}
            y2="31"
            stroke={is_compared ? "var(--ink-1)" : "var(--ink-2)"}
            strokeWidth={is_compared ? 2 : 1}
          />
          {name !== "" && (
            <text x={label_x} y="43" textAnchor={anchor}>
              {markLabel({ name, value: mark })}
            </text>
          )}
        </g>
      ))}
      <line
        x1={drawn.value_x}
        x2={drawn.value_x}
        y1="15"
        y2="28"
        stroke="var(--ink-1)"
        strokeWidth="2"
      />
      <text className="strong" x={above.value_from} y="11">
        {own}
      </text>
      {above.difference_from !== null && (
        <text x={above.difference_from} y="11">
          {apart}
        </text>
      )}
    </svg>
  );
}

function differenceWords(difference: number, isPages: boolean): string {
  if (difference === 0) return WHY_PANEL.equal;
  const amount = Math.abs(difference);
  const words = isPages ? count(amount) : WHY_PANEL.pages(amount);
  return difference > 0 ? WHY_PANEL.toSpare(words) : WHY_PANEL.short(words);
}
