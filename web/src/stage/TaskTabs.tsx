import { useWorkbench, useWorkbenchState } from "../app/context";

/** Chooses what stands below the nodes: the tasks in one line, or the CPUs they run on. */
export function TaskTabs() {
  const workbench = useWorkbench();
  const isOfCpus = useWorkbenchState((state) => state.isOfCpus);
  return (
    <span className="faces">
      {[
        { words: "Tasks", isIt: false },
        { words: "CPUs", isIt: true },
      ].map(({ words, isIt }) => (
        <button
          key={words}
          type="button"
          aria-pressed={isOfCpus === isIt}
          onClick={() => workbench.keep({ isOfCpus: isIt })}
        >
          {words}
        </button>
      ))}
    </span>
  );
}
