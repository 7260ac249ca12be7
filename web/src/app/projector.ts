// Projector mode: a machine in reading size from the back of a room. For the workbench it belongs to
// this browser and the screen it is on, so it is remembered here and in no link; a lesson begins with
// its prose, and is projected for as long as it is open.

import { inBrowser } from "../stored";

const KEY = "mmscope.projector";
const CHANGED = "mmscope:projector";

/** By how much type is larger than on a desk. */
export const PROJECTOR_ZOOM = 1.5;
/** On a low screen the same share of its height is fewer pixels. */
export const LOW_PROJECTOR_ZOOM = 1.25;

/** Pages that are laid out for a projector; others flow by themselves. */
export type Projected = "workbench" | "lesson";

/** What shows now. */
let shown: Projected | null = null;

/** Is the lesson that is open projected? */
let isLessonOn = false;

/** As chosen, for as long as the page lives where storage is denied; not read before it is asked for. */
let isChosen: boolean | null = null;

function isOn(): boolean {
  if (shown === "lesson") return isLessonOn;
  isChosen ??= inBrowser.read(KEY) === "on";
  return isChosen;
}

const told = () => dispatchEvent(new Event(CHANGED));

/** Does the page show for a projector? */
export const isProjector = (): boolean => shown !== null && isOn();

/** Turns it on or off. */
export function switchProjector(): void {
  if (shown === "lesson") isLessonOn = !isLessonOn;
  else {
    isChosen = !isOn();
    inBrowser.write(KEY, isChosen ? "on" : null);
  }
  told();
}

/** Such a page is what shows, until what is returned is called. */
export function showProjected(page: Projected): () => void {
  shown = page;
  isLessonOn = false;
  told();
  return () => {
    if (shown !== page) return;
    shown = null;
    told();
  };
}

/** Calls back when it may have changed, until what is returned is called. */
export function onProjector(changed: () => void): () => void {
  addEventListener(CHANGED, changed);
  return () => removeEventListener(CHANGED, changed);
}
