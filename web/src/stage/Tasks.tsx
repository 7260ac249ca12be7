import { useMode, useWorkbench, useWorkbenchState } from "../app/context";
import { shareFigure, shareWords, waitLeft } from "../draw/reclaim";
import { count, duration } from "../engine/format";
import type { TaskView, View } from "../engine/types";
import { actsWhen } from "../ui/acts";
import { Icon } from "../ui/icons";
import { Name } from "../ui/lit";
import { RichText } from "../ui/rich-text";
import { Roll } from "../ui/roll";
import { Ladder } from "./Kswapd";
import { Ring } from "./Ring";
import { TaskTabs } from "./TaskTabs";
import { TASKS } from "./words";

/** A task's activity in a few words. */
function taskWords(task: TaskView, now_ns: number): string {
  if (task.waits_for !== "") return `waits for ${task.waits_for}`;
  switch (task.state) {
    case "running":
      return task.function || "user mode";
    case "runnable":
      return TASKS.ready(task.cpu);
    case "sleeping":
      return task.wakes_at_ns === null
        ? "sleeps"
        : `sleeps ${duration(Math.max(0, task.wakes_at_ns - now_ns))}`;
    case "waiting":
      return task.name.startsWith("kswapd") ? "asleep" : "waits";
    case "exited":
      return "has exited";
  }
}

/**
 * The strip of tasks. The one that ran is filled; those on other CPUs are pale. A reclaiming task
 * has its priority, a task that waits with a time limit has a ring. The queues show what will wake
 * it. If tasks share the place with CPUs, tabs lead to them.
 */
export function Tasks({ view, hasTabs }: { view: View; hasTabs: boolean }) {
  const visible = view.tasks.filter((task) => !isIdlePseudo(task, view.ran));
  return (
    <section className="tasks" aria-label={TASKS.tasks}>
      {hasTabs ? <TaskTabs /> : <h2 className="label">{TASKS.tasks}</h2>}
      <ul>
        {visible.map((task) => (
          <li key={task.id}>
            <Token task={task} view={view} />
            <Since task={task} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Token({ task, view }: { task: TaskView; view: View }) {
  const now_ns = view.position.time_ns;
  const direct = view.reclaimers.find((run) => run.task === task.id && !run.kswapd);
  const left = waitLeft(now_ns, task.waits_since_ns, task.wakes_at_ns);
  const isHeld = task.waits_for !== "";
  const words = taskWords(task, now_ns);
  const look = task.id === view.ran ? "on" : isBusy(task) || isHeld ? "" : "off";
  return (
    <Name
      k={`task ${task.id}`}
      also={task.function ? `fn ${task.function}` : undefined}
      className={`pill ${look}`}
    >
      {task.name}
      {left !== null && task.wakes_at_ns !== null && (
        <>
          <Ring left={left} />
          <small>{duration(Math.max(0, task.wakes_at_ns - now_ns))}</small>
        </>
      )}
      <WokenBy task={task.id} view={view} />
      {direct && <Ladder priority={direct.priority} />}
      <small title={direct ? TASKS.directReclaim(shareWords(direct.priority), words) : words}>
        {direct && !isHeld ? TASKS.reclaims(shareFigure(direct.priority), words) : words}
        {!task.kernel_thread && task.state !== "exited" && (
          <RichText
            text={TASKS.rss(task.rss)}
            parts={{ rss: <Roll value={task.rss}>{count(task.rss)}</Roll> }}
          />
        )}
      </small>
    </Name>
  );
}

/** The task that woke this task, while the story mentions it. */
function WokenBy({ task, view }: { task: number; view: View }) {
  const waker = useWorkbenchState(({ story: { now } }) =>
    now?.woken?.task === task ? now.woken.waker : null,
  );
  const by = view.tasks.find(({ id }) => id === waker);
  return by ? <small>{TASKS.wokenBy(by.name)}</small> : null;
}

/** For a selected task, a link to the step at which its present activity began. */
function Since({ task: { id, name } }: { task: TaskView }) {
  const workbench = useWorkbench();
  const isPaused = useMode() === "paused";
  const isSelected = useWorkbenchState(({ selected }) => selected.includes(`task ${id}`));
  if (!isSelected) return null;
  const words = TASKS.goToStep(name);
  return (
    <button
      type="button"
      className="btn icon tiny"
      aria-label={words}
      title={words}
      {...actsWhen(isPaused, () => workbench.stops.lastChange({ kind: "task", task: id }))}
    >
      <Icon name="back" />
    </button>
  );
}

const isBusy = ({ state }: TaskView) => state === "running" || state === "runnable";

/** Timers and similar tasks are shown only when they act; kswapd is always shown. */
const isIdlePseudo = (task: TaskView, ran: number | null) =>
  task.kernel_thread &&
  task.id !== ran &&
  !isBusy(task) &&
  task.waits_for === "" &&
  !task.name.startsWith("kswapd");
