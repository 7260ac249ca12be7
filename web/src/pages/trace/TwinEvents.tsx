import { useWorkbench, useWorkbenchState } from "../../app/context";
import { useMomentLink } from "../../app/moment-link";
import { catalogOf, RunViewModelContext } from "../../app/run-view-model";
import { EventLog } from "../../log/EventLog";
import { TWIN_EVENTS } from "./words";

/**
 * The events of the twin. The twin is a run of the engine, so its log and moments come from the
 * workbench.
 */
export function TwinEvents() {
  const workbench = useWorkbench();
  const session = useWorkbenchState((state) => state.session);
  const catalog = useWorkbenchState(catalogOf);
  if (!session?.frame || !catalog) return null;
  return (
    <RunViewModelContext value={workbench}>
      <EventLog info={session.info} view={session.frame.view} catalog={catalog} onGo={() => {}} />
    </RunViewModelContext>
  );
}

/** Leads to the twin in the workbench. */
export function TwinLink() {
  const link = useMomentLink();
  return (
    <>
      <p className="trace-about">{TWIN_EVENTS.about}</p>
      <a className="btn solid" {...link}>
        {TWIN_EVENTS.openTwinInWorkbench}
      </a>
    </>
  );
}
