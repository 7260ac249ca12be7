// Opens a sweep of the workbench's experiment.

import type { Workbench } from "../../app/controller";
import { LAST_SWEEP, writeFragment } from "../../link/router";

/** Opens the sweep page with the experiment of the workbench, after the work was saved. */
export async function sweepExperiment(workbench: Workbench): Promise<void> {
  const x = (await workbench.saving.now()) ?? workbench.saving.pack();
  if (x !== null) location.hash = writeFragment({ ...LAST_SWEEP, x });
}
