import { type CSSProperties, useRef } from "react";
import {
  arcBetween,
  type CellBox,
  type CpuLayout,
  type CpuRoom,
  layoutCpus,
  usedShares,
} from "../draw/cpus";
import { type Intent, intentsOf } from "../draw/intents";
import { follow, type Move, type Trail } from "../draw/moves";
import type { Cause } from "../engine/protocol";
import type { CpuView, Info, View } from "../engine/types";
import { useFit, usePhone } from "../ui/fit";
import { Name } from "../ui/lit";
import { cpuSentence, doesWords, usedWords } from "./cpu-words";
import { placingWords } from "./placing-words";
import { showsProcesses } from "./shows-processes";
import { TaskTabs } from "./TaskTabs";
import { useTokenKeys } from "./token-keys";
import "./cpus.css";
import { RichText } from "../ui/rich-text";
import { CPUS } from "./words";

/**
 * Widths of a waiting task's token, of the addition for a task that has just moved, and of the rest
 * of the line.
 */
const TOKEN_PX = 72;
const FROM_PX = 72;
const BESIDE_PX = 76;
/** More arcs would cover each other; text also marks moved tasks. */
const MOST_ARCS = 16;
const ASIDE_PX = 14;

interface CpusProps {
  readonly info: Info;
  readonly view: View;
  readonly cause: Cause;
  readonly width_px: number;
  /** Tabs switch between it and the tasks. */
  readonly hasTabs: boolean;
}

/**
 * Every CPU: the task it runs and the task's activity, waiting tasks, and tasks that have just
 * moved here.
 */
export function Cpus({ info, view, cause, width_px, hasTabs }: CpusProps) {
  const { hasTouch } = useFit();
  const layout = layoutCpus(info.nodes, { width_px, hasTouch } satisfies CpuRoom);
  const trail = useTrail(info, view, cause);
  const panel = useRef<HTMLDivElement>(null);
  const keys = useTokenKeys(panel);
  const isPhone = usePhone();
  const marks = trail.isBack ? NO_MOVES : trail.moves;
  return (
    <section className="cpus" aria-label={CPUS.cpus} data-dense={layout.isDense || undefined}>
      <div className="hd">
        {hasTabs ? <TaskTabs /> : <h2 className="label">{CPUS.cpus}</h2>}
        <UsedKey isShort={isPhone} />
      </div>
      {showsProcesses(info) && <Placing view={view} />}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move from one button to the next */}
      <div
        ref={panel}
        className="cpu-cells"
        style={{ height: layout.height_px }}
        onKeyDown={keys.onKeyDown}
        onFocus={keys.onFocus}
        onBlur={keys.onBlur}
      >
        {layout.names.map(({ node, ...box }) => (
          <h3
            key={node}
            className="label"
            style={boxStyle(box)}
            data-above={layout.isAbove || undefined}
          >
            {CPUS.node(node)}
          </h3>
        ))}
        <ul>
          {layout.cells.map(({ cpu, node, ...box }) => {
            const of = view.cpus[cpu];
            if (!of) return null;
            const visible = { cpu: of, view, marks, tabStop: keys.tabStop };
            return (
              <li key={cpu} className="cpu" style={boxStyle(box)} data-cpu={cpu} data-node={node}>
                {layout.isDense ? (
                  <Dense {...visible} />
                ) : (
                  <Whole {...visible} width_px={box.width} />
                )}
              </li>
            );
          })}
        </ul>
        <Arcs trail={trail} layout={layout} intents={intentsOf(view)} />
      </div>
    </section>
  );
}

const NO_MOVES: readonly Move[] = [];

const boxStyle = ({ x, y, width, height }: CellBox): CSSProperties => ({
  left: x,
  top: y,
  width,
  height,
});

/** The tasks that moved between the moment shown before and this one. */
function useTrail(info: Info, view: View, cause: Cause): Trail {
  const trail = useRef<Trail | null>(null);
  trail.current = follow(trail.current, info, view, cause);
  return trail.current;
}

interface CellProps {
  readonly cpu: CpuView;
  readonly view: View;
  readonly marks: readonly Move[];
  /** The one token in the tab order. */
  readonly tabStop: string | null;
}

/**
 * A cell with two lines: the running task and its activity; the waiting tasks and the use of the
 * CPU's time.
 */
function Whole({ cpu, view, marks, tabStop, width_px }: CellProps & { width_px: number }) {
  const { id, running, handler, waiting } = cpu;
  const of = { cpu: id, view, marks, tabStop };
  const come = waiting.filter((task) => moveOf(marks, task, id)).length;
  const room_px = width_px - BESIDE_PX - come * FROM_PX;
  const most = Math.max(1, Math.floor(room_px / TOKEN_PX));
  const visible = waiting.slice(0, most);
  const more = waiting.length - visible.length;
  const words = doesWords(cpu);
  return (
    <>
      <Used cpu={cpu} />
      <p className="runs">
        <span className="cap">
          <RichText text={CPUS.cpu} parts={{ id: <b>{id}</b> }} />
        </span>
        {handler !== null && <Token {...of} task={handler} part="handler" />}
        {handler !== null && running !== null && (
          <small className="cpu-does">{CPUS.interrupts}</small>
        )}
        {running !== null && <Token {...of} task={running} part="running" />}
        {(handler === null || running === null) && (
          <small
            className={running === null ? "cpu-does rests" : "cpu-does"}
            title={cpu.function || words}
          >
            {words}
          </small>
        )}
        <span className="sr">{cpuSentence(cpu, view)}</span>
      </p>
      <div className="waits">
        {visible.length > 0 && <span className="cap">{CPUS.queue}</span>}
        {visible.map((task) => (
          <Token key={task} {...of} task={task} part="waiting" />
        ))}
        {more > 0 && (
          <span className="cap" title={cpuSentence(cpu, view)}>
            +{more}
          </span>
        )}
      </div>
    </>
  );
}

/** Shorter words for dense cells. */
const SHORT_WORDS: Partial<Record<CpuView["state"], string>> = {
  choosing: CPUS.picks,
  io_wait: CPUS.idleIO,
};

/** A dense cell: the CPU's number, the number of waiting tasks, and the running task. */
function Dense({ cpu, view, marks, tabStop }: CellProps) {
  const { id, running, handler, waiting } = cpu;
  const task = handler ?? running;
  const move = moveOf(marks, running, id);
  const come = marks.find((mark) => mark.to === id && waiting.includes(mark.task));
  const from = move ?? come;
  return (
    <>
      <Used cpu={cpu} />
      <p className="cap" title={cpuSentence(cpu, view)}>
        <b>{id}</b>
        {from ? (
          <span className="from">
            <span aria-hidden="true">← {from.from}</span>
            <span className="sr">{CPUS.taskCameFromCpu(from.from)}</span>
          </span>
        ) : (
          waiting.length > 0 && <span aria-hidden="true">+{waiting.length}</span>
        )}
        <span className="sr">{cpuSentence(cpu, view)}</span>
      </p>
      {task === null ? (
        <small className="cpu-does rests" title={doesWords(cpu)} aria-hidden="true">
          {SHORT_WORDS[cpu.state] ?? doesWords(cpu)}
        </small>
      ) : (
        <Token {...{ task, cpu: id, view, tabStop }} marks={NO_MOVES} part="running" />
      )}
    </>
  );
}

const moveOf = (marks: readonly Move[], task: number | null, cpu: number): Move | undefined =>
  marks.find((move) => move.task === task && move.to === cpu);

/** A task at a CPU; a task that has just moved shows the CPU that it came from. */
function Token({
  task,
  cpu,
  part,
  view,
  marks,
  tabStop,
}: Omit<CellProps, "cpu"> & {
  task: number;
  cpu: number;
  part: "running" | "handler" | "waiting";
}) {
  const name = view.tasks.find(({ id }) => id === task)?.name ?? `task ${task}`;
  const move = moveOf(marks, task, cpu);
  const token = `${part} ${cpu} ${task}`;
  const look = task === view.ran ? "on" : part === "waiting" ? "off" : "";
  return (
    <span className="token" data-token={token} data-task={task}>
      <Name
        k={`task ${task}`}
        className={`pill ${look}`}
        tabIndex={tabStop === token ? undefined : -1}
      >
        <span>{name}</span>
        {move && <small className="from">{CPUS.fromCpu(move.from)}</small>}
      </Name>
    </span>
  );
}

/** The use of a CPU's time since boot. */
function Used({ cpu }: { cpu: CpuView }) {
  const { user, kernel, iowait } = usedShares(cpu);
  const words = usedWords(cpu);
  return (
    <span className="used" role="img" aria-label={words} title={words}>
      <i className="in-user" style={{ width: `${user * 100}%` }} />
      <i className="in-kernel" style={{ width: `${kernel * 100}%` }} />
      <i className="in-iowait" style={{ width: `${iowait * 100}%` }} />
    </span>
  );
}

/** A legend for the parts of a bar. */
function UsedKey({ isShort }: { isShort: boolean }) {
  return (
    <span className="cap used-key">
      {!isShort && <span>{CPUS.sinceBoot}</span>}
      <RichText
        text={CPUS.userModeKernelI}
        parts={{
          i: <i className="in-user" />,
          i2: <i className="in-kernel" />,
          i3: <i className="in-iowait" />,
          i4: <i className="in-idle" />,
        }}
      />
    </span>
  );
}

/** The last step's decision about the placement of a task; the line is always reserved. */
function Placing({ view }: { view: View }) {
  const words = placingWords(view);
  return (
    <p className="cap placing" data-none={words === "" || undefined} title={words || undefined}>
      {words || CPUS.noPlacementDecision}
    </p>
  );
}

/** Arcs for tasks that the last step moved or made a decision about. */
function Arcs({
  trail,
  layout,
  intents,
}: {
  trail: Trail;
  layout: CpuLayout;
  intents: readonly Intent[];
}) {
  const box = (cpu: number) => layout.cells.find((cell) => cell.cpu === cpu);
  const target = (to: Intent["to"]) =>
    "cpu" in to ? box(to.cpu) : layout.cells.find(({ node }) => node === to.node);
  const now = trail.moves.filter(({ age }) => age === 0).slice(0, MOST_ARCS);
  return (
    <svg className="cpu-arcs" aria-hidden="true">
      {now.map(({ task, from, to }) => {
        const [begin, end] = [box(from), box(to)];
        if (!begin || !end) return null;
        const { d, arrow } = arcBetween(begin, end);
        return (
          <g key={`${trail.step} ${task}`}>
            <path className="move-path" d={d} pathLength={1} />
            <path className="arrow" d={arrow} />
          </g>
        );
      })}
      {intents.slice(0, MOST_ARCS).map(({ task, from, to, isRefused }, i) => {
        const [begin, end] = [box(from), target(to)];
        if (!begin || !end || begin === end) return null;
        // The two arcs of a flip run side by side.
        const aside = (cell: CellBox) => ({ ...cell, x: cell.x + (i % 2) * ASIDE_PX });
        const { d, arrow } = arcBetween(aside(begin), aside(end));
        return (
          <g
            key={`${task} ${d}`}
            className="intent"
            data-task={task}
            data-refused={isRefused || undefined}
          >
            <path className="move-path" d={d} />
            <path className="arrow" d={arrow} />
          </g>
        );
      })}
    </svg>
  );
}
