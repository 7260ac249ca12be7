import { useWorkbench, useWorkbenchState } from "../app/context";
import { showsProcesses } from "./shows-processes";
import { TASK_TABS } from "./words";

/** The part below the nodes. */
export type Runner = "tasks" | "cpus" | "processes";

const WORDS: Readonly<Record<Runner, string>> = {
  tasks: TASK_TABS.tasks,
  cpus: TASK_TABS.cpus,
  processes: TASK_TABS.processesByNode,
};

/** The part that the user chose, if the machine has it. */
export const useRunner = (): Runner =>
  useWorkbenchState(({ isOfCpus, isOfProcesses, session }) =>
    isOfProcesses && session && showsProcesses(session.info)
      ? "processes"
      : isOfCpus
        ? "cpus"
        : "tasks",
  );

/** Tabs for the part below the nodes: the tasks in one line, the CPUs, or processes by node. */
export function TaskTabs() {
  const workbench = useWorkbench();
  const current = useRunner();
  const hasProcesses = useWorkbenchState(
    ({ session }) => !!session && showsProcesses(session.info),
  );
  const all: readonly Runner[] = hasProcesses ? ["tasks", "cpus", "processes"] : ["tasks", "cpus"];
  return (
    <span className="faces">
      {all.map((runner) => (
        <button
          key={runner}
          type="button"
          aria-pressed={runner === current}
          onClick={() =>
            workbench.keep({ isOfCpus: runner === "cpus", isOfProcesses: runner === "processes" })
          }
        >
          {WORDS[runner]}
        </button>
      ))}
    </span>
  );
}
