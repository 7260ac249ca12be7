import { useMemo } from "react";
import { useWorkbench, useWorkbenchState } from "../../app/context";
import { clock } from "../../engine/format";
import { forkOf } from "../../experiment/disturbances";

/**
 * Says that this run is a fork, and where it left the other run. The title and the dialog name the
 * intervention.
 */
export function ForkChip() {
  const workbench = useWorkbench();
  const experiment = useWorkbenchState((state) => state.session?.experiment ?? null);
  const fork = useMemo(() => (experiment === null ? null : forkOf(experiment)), [experiment]);
  if (!fork) return null;
  const words = `Fork at ${clock(fork.time_ns)} s: ${fork.words}`;
  return (
    <button
      type="button"
      className="btn line fork"
      aria-label={words}
      title={words}
      onClick={() => workbench.showDialog("disturb")}
    >
      Fork
      <span className="more"> at {clock(fork.time_ns)} s</span>
    </button>
  );
}
