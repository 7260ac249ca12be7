import { count, duration } from "../draw/format";
import type { TaskView, View } from "../engine/types";
import { Name } from "../ui/lit";
import { Roll } from "../ui/roll";

/** What a task is doing, in a few words. */
export function taskWords(task: TaskView, now_ns: number): string {
  if (task.waits_for !== "") return `waits for ${task.waits_for}`;
  switch (task.state) {
    case "running":
      return task.function || "user mode";
    case "runnable":
      return `waits for CPU ${task.cpu}`;
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

/** The strip of tasks: filled is the one that ran, pale are those elsewhere. */
export function Tasks({ view }: { view: View }) {
  const now_ns = view.position.time_ns;
  const shown = view.tasks.filter((task) => !isIdlePseudo(task, view.ran));
  return (
    <section className="tasks" aria-label="Tasks">
      <h2 className="label">Tasks</h2>
      <ul>
        {shown.map((task) => (
          <li key={task.id}>
            <Name
              k={`task ${task.id}`}
              className={`pill ${task.id === view.ran ? "on" : isBusy(task) ? "" : "off"}`}
            >
              {task.name}
              <small>
                {taskWords(task, now_ns)}
                {!task.kernel_thread && task.state !== "exited" && (
                  <>
                    , <Roll value={task.rss}>{count(task.rss)}</Roll> pages
                  </>
                )}
              </small>
            </Name>
          </li>
        ))}
      </ul>
    </section>
  );
}

const isBusy = ({ state }: TaskView) => state === "running" || state === "runnable";

/** Timers and the like only show when they do something; kswapd always shows. */
const isIdlePseudo = (task: TaskView, ran: number | null) =>
  task.kernel_thread && task.id !== ran && !isBusy(task) && !task.name.startsWith("kswapd");
