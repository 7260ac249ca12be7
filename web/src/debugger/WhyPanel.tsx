import { lazy, Suspense, useState } from "react";
import { useWorkbenchState } from "../app/context";
import { isMadeLit } from "../app/selection";
import { numberLine } from "../draw/numberline";
import { count } from "../engine/format";
import type { Compare, FunctionInfo, View } from "../engine/types";
import { useFit } from "../ui/fit";
import { Sentence } from "../ui/sentence";

const WhyBranches = lazy(() =>
  import("./explain/ExplainPanel").then(({ WhyBranches: B }) => ({ default: B })),
);

const WIDEST_PX = 328;
/** Before the window has been measured, and in none that could be read. */
const NARROWEST_PX = 120;

interface WhyProps {
  readonly view: View;
  /** All modelled functions, to say what comes next. */
  readonly functions: readonly FunctionInfo[];
  /** The machine runs at full speed, where nothing is recorded. */
  readonly isRunning: boolean;
  /** It is on a long way, and what is drawn lies behind it. */
  readonly isOnWay?: boolean;
}

/** Why the last step went as it did, with the numbers it compared. */
export function WhyPanel({ view, functions, isRunning, isOnWay = false }: WhyProps) {
  const { why, tasks, ran, position } = view;
  const task = tasks.find(({ id }) => id === (why?.task ?? ran));
  const [isOpen, setOpen] = useState(false);
  const fn = isOnWay || !why ? null : why.fn;
  const isDecided = useWorkbenchState((state) => isMadeLit(fn, state));
  return (
    <section className="why" aria-label="Why">
      <div className="hd">
        <h2 className="label">Why</h2>
        {task && (
          <span className="cap">
            {task.name} on CPU {why?.cpu ?? task.cpu}
          </span>
        )}
        <button
          type="button"
          className="btn tiny"
          // It keeps its room where nothing was decided: what is below must not move.
          style={{ visibility: why ? undefined : "hidden" }}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          Branches
        </button>
      </div>
      <p className={isDecided ? "sentence made" : "sentence"}>
        {why && !isOnWay ? (
          <Sentence spans={why.sentence} />
        ) : (
          <Undecided view={view} functions={functions} isRunning={isRunning || isOnWay} />
        )}
      </p>
      {why?.compare && !isOnWay && <NumberLine compare={why.compare} />}
      {isOpen && why && !isOnWay && (
        <p className="else">
          <Suspense>
            <WhyBranches decision={why.name} />
          </Suspense>
        </p>
      )}
      {position.ended && <p className="else">The run has ended here.</p>}
    </section>
  );
}

/** A step that decided nothing: say where it is and what comes next, not that there is nothing. */
function Undecided({ view, functions, isRunning }: WhyProps) {
  const { stack, tasks, ran, position } = view;
  if (isRunning) {
    return <span className="dim">Running. The reason shows as soon as it stops.</span>;
  }
  if (position.step === 0) {
    return <span className="dim">The machine has booted. Nothing has run yet: press Into.</span>;
  }
  const task = tasks.find(({ id }) => id === (view.followed ?? ran));
  const current = stack[0] && functions[stack[0].function];
  const line = stack[0] && current?.lines[stack[0].line]?.text;
  if (!task || !current?.file || line === undefined) {
    return (
      <span className="dim">{task?.name ?? "The machine"} went on. Nothing was compared.</span>
    );
  }
  return (
    <span className="dim">
      {task.name} is in {current.name}. Next it runs: {line}
    </span>
  );
}

function NumberLine({ compare }: { compare: Compare }) {
  const { label, value, against, against_label, marks, passed } = compare;
  const width = Math.max(NARROWEST_PX, Math.min(WIDEST_PX, useFit().width_px - 32));
  const drawn = numberLine(compare, 10, width - 10);
  const difference = value - against;
  const words = `${label} ${count(value)}, compared with ${against_label} ${count(against)}: ${passed ? "passes" : "fails"}`;
  const isLeft = drawn.value_x <= drawn.against_x;
  // Between two near ticks there is no room: the words go to the outer sides.
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
              {name} {count(mark)}
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
      <text
        className="strong"
        x={clampLabel(drawn.value_x, isLeft, width)}
        y="11"
        textAnchor={isLeft ? "end" : "start"}
      >
        {label} {count(value)}
        {drawn.is_beyond ? " →" : ""}
      </text>
      <text
        x={clampLabel(drawn.against_x, !isLeft, width)}
        y="11"
        textAnchor={isLeft ? "start" : "end"}
      >
        {differenceWords(difference, marks.length > 0)}
      </text>
    </svg>
  );
}

function differenceWords(difference: number, isPages: boolean): string {
  if (difference === 0) return "equal, not above";
  const unit = isPages ? "" : " pages";
  return difference > 0
    ? `${count(difference)}${unit} to spare`
    : `${count(-difference)}${unit} short`;
}

/** A label beside a tick stays inside the drawing. */
const clampLabel = (x: number, isEnd: boolean, width: number) =>
  isEnd ? Math.max(x - 5, 90) : Math.min(x + 5, width - 90);
