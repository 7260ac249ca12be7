// The way from a stage in a text into the workbench.

import { type MouseEvent, useState } from "react";
import { writeFragment } from "../link/router";
import { useWorkbench, useWorkbenchState } from "./context";
import type { Workbench } from "./controller";
import { modeOf } from "./store";

/**
 * What a link has that opens the workbench where the stage stands; until that is known for the first
 * time a ready-made experiment, or nothing. Its address follows the stage a little later and serves
 * other tabs and windows. Pressed, it asks: what runs is stopped, and that moment opens; or the one
 * at `step`, where there is one.
 */
export function useMomentLink(preset: string | null = null, step: number | null = null) {
  const workbench = useWorkbench();
  const packed = useWorkbenchState((state) => state.packed);
  // While another experiment begins the link stays: the focus may be on it.
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
  // Somebody may have gone elsewhere meanwhile.
  if (location.hash !== from) return;
  location.hash = x === null ? otherwise : writeFragment({ page: "workbench", x });
}

/** Waits until the machine stands, at a step where one is given; a broken one does. */
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
