// Projector mode: the machine in a size that can be read from the back of a room. For the workbench
// the mode belongs to this browser and its screen, so it is stored in the browser and not in links.
// A lesson begins as text; its projector mode ends when the lesson is closed.

import { inBrowser } from "../stored";

const KEY = "mmscope.projector";
const CHANGED = "mmscope:projector";

/** How much larger text is than on a desk. */
export const PROJECTOR_ZOOM = 1.5;
/** The factor on a low screen, so that text takes the same share of the height. */
export const LOW_PROJECTOR_ZOOM = 1.25;

/** Pages with a projector layout; all others reflow. */
export type Projected = "workbench" | "lesson";

/** The page that is shown now. */
let shown: Projected | null = null;

/** Whether the open lesson is in projector mode. */
let isLessonOn = false;

/** The user's choice while the page is open, if storage is denied; read from storage when first
 * needed. */
let isChosen: boolean | null = null;

function isOn(): boolean {
  if (shown === "lesson") return isLessonOn;
  isChosen ??= inBrowser.read(KEY) === "on";
  return isChosen;
}

const told = () => dispatchEvent(new Event(CHANGED));

/** Whether the page is in projector mode. */
export const isProjector = (): boolean => shown !== null && isOn();

/** Switches projector mode. */
export function switchProjector(): void {
  if (shown === "lesson") isLessonOn = !isLessonOn;
  else {
    isChosen = !isOn();
    inBrowser.write(KEY, isChosen ? "on" : null);
  }
  told();
}

/** Registers the shown page; the returned function unregisters it. */
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

/** Calls back when the mode may have changed; the returned function stops that. */
export function onProjector(changed: () => void): () => void {
  addEventListener(CHANGED, changed);
  return () => removeEventListener(CHANGED, changed);
}
