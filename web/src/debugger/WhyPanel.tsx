import { lazy, Suspense, useState } from "react";
import { useWorkbench, useWorkbenchState } from "../app/context";
import { isMadeLit } from "../app/selection";
import { aboveLine, markLabel, numberLine } from "../draw/numberline";
import { absentWords } from "../engine/absent";
import { endWords } from "../engine/end";
import { count, counted, zoneWords } from "../engine/format";
import type { Frame } from "../engine/protocol";
import type { Compare, FunctionInfo, Info, View } from "../engine/types";
import { actsWhen } from "../ui/acts";
import { useFit } from "../ui/fit";
import { Name } from "../ui/lit";
import { Sentence } from "../ui/sentence";
import { type DecisionHistory, FRESH_STEPS, NO_DECISIONS, withMoment } from "./decision-history";
import type { Failed } from "./wake";

const WhyBranches = lazy(() =>
  import("./explain/ExplainPanel").then(({ WhyBranches: B }) => ({ default: B })),
);

const WIDEST_PX = 328;
/** The width used until the panel is measured, or if it cannot be measured. */
const NARROWEST_PX = 120;

interface WhyProps {
  readonly frame: Frame;
  readonly info: Info;
  /** All modelled functions, to name the next line. */
  readonly functions: readonly FunctionInfo[];
  /** A long run is in progress, and the frame that is drawn is behind it. */
  readonly isOnWay?: boolean;
}

/** The decisions up to the frame that is shown, by {@link withMoment}. */
function useKept(frame: Frame, info: Info): DecisionHistory {
  const [seen, setSeen] = useState<{ frame: Frame | null; kept: DecisionHistory }>({
    frame: null,
    kept: NO_DECISIONS,
  });
  if (seen.frame === frame) return seen.kept;
  const kept = withMoment(seen.kept, frame.view, info, frame.cause);
  setSeen({ frame, kept });
  return kept;
}

/** The reason for the last decision, with the numbers that the kernel compared. */
export function WhyPanel({ frame, info, functions, isOnWay = false }: WhyProps) {
  const { view, mode } = frame;
  const { position, tasks } = view;
  const last = useKept(frame, info).decisions.at(-1);
  const isRunning = mode.kind === "playing" || isOnWay;
  const isStale = isRunning && last !== undefined && position.step - last.step > FRESH_STEPS;
  const shown = isOnWay || isStale ? undefined : last;
  const ran = tasks.find(({ id }) => id === view.ran);
  const [isOpen, setOpen] = useState(false);
  const isDecided = useWorkbenchState((state) => isMadeLit(shown?.why.fn ?? null, state));
  return (
    <section className="why" aria-label="Why">
      <div className="hd">
        <h2 className="label">Why</h2>
        <span className="cap">
          {shown ? `${shown.task} on CPU ${shown.why.cpu}` : ran && `${ran.name} on CPU ${ran.cpu}`}
          {shown && shown.step !== position.step && <DecidedAt step={shown.step} />}
        </span>
        <button
          type="button"
          className="btn tiny"
          // An empty panel keeps its height, so that what is below does not move.
          style={{ visibility: shown ? undefined : "hidden" }}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          Branches
        </button>
      </div>
      <div className="why-room">
        <p className={isDecided ? "sentence made" : "sentence"}>
          {shown ? (
            <Sentence spans={shown.why.sentence} />
          ) : (
            <Undecided view={view} functions={functions} isRunning={isRunning} />
          )}
        </p>
        {position.step === 0 && <Absent kernel={info.kernel} />}
        {shown && shown.failed.length > 0 && <FailedZones failed={shown.failed} />}
        {shown?.why.compare && shown.failed.length < 2 && (
          <NumberLine compare={shown.why.compare} />
        )}
        {isOpen && shown && (
          <p className="else">
            <Suspense>
              <WhyBranches decision={shown.why.name} />
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
  return words === null ? null : (
    <p className="else">
      This is a model of {kernel}. {words}
    </p>
  );
}

/** A link to the step of an earlier decision. */
function DecidedAt({ step }: { step: number }) {
  const workbench = useWorkbench();
  return (
    <>
      {", at "}
      <button
        type="button"
        className="name"
        aria-label={`Go to step ${count(step)}, where it was decided`}
        onClick={() => workbench.transport.seek({ kind: "step", step })}
      >
        #{count(step)}
      </button>
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
    ({ session, way }) => !way && session?.frame?.mode.kind === "paused",
  );
  return (
    <ul className="failed" aria-label="Zones that failed the watermark check">
      {failed.map(({ key, free, counted, mark, pages, kept }) => (
        <li key={key}>
          <span>
            <Name k={`zone ${key}`}>{zoneWords(key)}</Name>: <b>{count(free)}</b> free
            {counted !== null && `, ${count(counted)} counted`}, {mark} <b>{count(pages)}</b>
            {kept > 0 && ` + reserve ${count(kept)}`}
          </span>
          <button
            type="button"
            className="name"
            aria-label={`Go to where ${zoneWords(key)} last crossed its ${mark} watermark`}
            {...actsWhen(isPaused, () =>
              workbench.stops.lastChange({ kind: "mark", zone: key, mark }),
            )}
          >
            crossed
          </button>
        </li>
      ))}
    </ul>
  );
}

/** After a step without a decision: says where the task is and which line is next. */
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
    return <span className="dim">Running. The reason appears when it stops.</span>;
  }
  if (position.step === 0) {
    return <span className="dim">The machine has booted. Nothing has run yet: press Into.</span>;
  }
  const task = tasks.find(({ id }) => id === (view.followed ?? ran));
  const current = stack[0] && functions[stack[0].function];
  const line = stack[0] && current?.lines[stack[0].line]?.text;
  if (!task || !current?.file || line === undefined) {
    return (
      <span className="dim">
        {task?.name ?? "The machine"} continued; no decision in this step.
      </span>
    );
  }
  return (
    <span className="dim">
      {task.name} is in {current.name}. Next line: {line}
    </span>
  );
}

function NumberLine({ compare }: { compare: Compare }) {
  const { label, value, against, against_label, marks, passed } = compare;
  const width = Math.max(NARROWEST_PX, Math.min(WIDEST_PX, useFit().width_px - 32));
  const drawn = numberLine(compare, 10, width - 10);
  const difference = value - against;
  const words = `${label} ${count(value)}, compared with ${against_label} ${count(against)}: ${passed ? "passes" : "fails"}`;
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
  if (difference === 0) return "equal, not above";
  const amount = Math.abs(difference);
  const words = isPages ? count(amount) : counted(amount, "page");
  return difference > 0 ? `${words} to spare` : `${words} short`;
}
