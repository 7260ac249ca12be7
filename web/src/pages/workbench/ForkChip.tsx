import { useMemo } from "react";
import { useWorkbench, useWorkbenchState } from "../../app/context";
import { forkOf } from "../../experiment/disturbances";
import { FORK_CHIP } from "./words";

/**
 * Says that this run is a fork, and where it diverged from the original run. The title and the
 * dialog name the intervention.
 */
export function ForkChip() {
  const workbench = useWorkbench();
  const experiment = useWorkbenchState((state) => state.session?.experiment ?? null);
  const fork = useMemo(() => (experiment === null ? null : forkOf(experiment)), [experiment]);
  if (!fork) return null;
  const words = FORK_CHIP.forkAtS(fork.time_ns, fork.words);
  return (
    <button
      type="button"
      className="btn line fork"
      aria-label={words}
      title={words}
      onClick={() => workbench.showDialog("disturb")}
    >
      {FORK_CHIP.fork}
      <span className="more"> {FORK_CHIP.atS(fork.time_ns)}</span>
    </button>
  );
}
