// Projector mode: all of the workbench at reading size from the back of a room. It belongs to this
// browser and the screen it is on, so it is remembered here and in no link.

import { inBrowser } from "../stored";

const KEY = "mmscope.projector";
const CHANGED = "mmscope:projector";

/** By how much type is larger than on a desk. */
export const PROJECTOR_ZOOM = 1.5;

/** Other pages flow by themselves: only the workbench is laid out for it. */
let isBenchShown = false;

/** As chosen, for as long as the page lives where storage is denied; not read before it is asked for. */
let isChosen: boolean | null = null;

function isOn(): boolean {
  isChosen ??= inBrowser.read(KEY) === "on";
  return isChosen;
}

const told = () => dispatchEvent(new Event(CHANGED));

/** Does the page show for a projector? */
export const isProjector = (): boolean => isBenchShown && isOn();

/** Turns it on or off. */
export function switchProjector(): void {
  isChosen = !isOn();
  inBrowser.write(KEY, isChosen ? "on" : null);
  told();
}

/** The workbench is what shows, or is not any more. */
export function showBench(isShown: boolean): void {
  if (isBenchShown === isShown) return;
  isBenchShown = isShown;
  told();
}

/** Calls back when it may have changed, until what is returned is called. */
export function onProjector(changed: () => void): () => void {
  addEventListener(CHANGED, changed);
  return () => removeEventListener(CHANGED, changed);
}
