// The link from a stage in a text to the workbench.

import { type MouseEvent, useState } from "react";
import { readFragment, writeFragment } from "../link/router";
import { useWorkbench, useWorkbenchState } from "./context";
import type { Workbench } from "./controller";
import { modeOf } from "./store";

/**
 * Props of a link that opens the workbench at the stage's moment. Until that moment is known, the
 * link leads to a ready-made experiment, or nowhere. The address of the link follows the stage with
 * a short delay, so that the link can be opened in other tabs and windows. A click stops a running
 * stage and opens its moment, or the moment at `step` if given.
 */
export function useMomentLink(preset: string | null = null, step: number | null = null) {
  const workbench = useWorkbench();
  const packed = useWorkbenchState((state) => state.packed);
  // The link stays while another experiment opens, because it may have the focus.
  const [last, setLast] = useState(packed);
  if (packed !== null && packed !== last) setLast(packed);
  const href = writeFragment({ page: "workbench", x: last, preset: last ? null : preset });
  return {
    href,
    hidden: last === null && preset === null,
    onPointerEnter: () => void workbench.saving.now(),
    onClick: (event: MouseEvent) => {
      const isForHere = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
      if (!isForHere || !workbench.store.getState().session) return;
      event.preventDefault();
      void openMoment(workbench, href, step);
    },
  };
}

/** Opens the compare page with this moment, and the same moment under another kernel. */
export async function compareHere(workbench: Workbench): Promise<void> {
  const from = location.hash;
  if (modeOf(workbench.store.getState()) !== "paused") workbench.transport.pause();
  await isAtRest(workbench);
  const a = (await workbench.saving.now()) ?? workbench.saving.pack();
  // The user may have navigated meanwhile; saving may have changed the address of this page.
  if (readFragment(location.hash).page === readFragment(from).page)
    location.hash = writeFragment({ page: "compare", a, b: null, by: null });
}

async function openMoment(
  workbench: Workbench,
  otherwise: string,
  step: number | null,
): Promise<void> {
  const from = location.hash;
  if (modeOf(workbench.store.getState()) !== "paused") workbench.transport.pause();
  await isAtRest(workbench);
  if (step !== null) {
    workbench.transport.seek({ kind: "step", step });
    await isAtRest(workbench, step);
  }
  const x = (await workbench.saving.now()) ?? workbench.saving.pack();
  // The user may have navigated meanwhile.
  if (location.hash !== from) return;
  location.hash = x === null ? otherwise : writeFragment({ page: "workbench", x });
}

/**
 * Waits until the machine is at rest, at a step if one is given; also returns if the engine broke.
 */
function isAtRest({ store }: Workbench, step?: number): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      const state = store.getState();
      const at = state.session?.frame?.view.position.step;
      const isThere = modeOf(state) === "paused" && (step === undefined || step === at);
      if (!state.trap && !isThere) return;
      forget();
      resolve();
    };
    const forget = store.subscribe(look);
    look();
  });
}
