// The keyboard: the command of each key, and where it does not apply. The help lists the same
// table.

import { bookmarkHere } from "./bookmarks";
import type { Workbench } from "./controller";
import { compareHere } from "./moment-link";
import { switchProjector } from "./projector";
import { type DialogName, modeOf } from "./store";
import { KEYS } from "./words";

/** A command that a key starts. */
export interface KeyCommand {
  /** As in `KeyboardEvent.key`, with "Shift+" in front if needed; the help shows the first ones. */
  readonly keys: readonly string[];
  /** The text in the help. */
  readonly does: string;
  readonly run: (workbench: Workbench) => void;
}

const show = (dialog: DialogName) => (workbench: Workbench) => workbench.showDialog(dialog);

const faster = (by: number) => (workbench: Workbench) => workbench.transport.faster(by);

/** All commands, in the order of the help. */
export const KEY_COMMANDS: readonly KeyCommand[] = [
  { keys: [" ", "F5"], does: "play, pause", run: (w) => w.transport.toggle() },
  {
    keys: ["ArrowRight", "F11"],
    does: KEYS.stepIntoNextLine,
    run: (w) => w.transport.step("into"),
  },
  {
    keys: ["ArrowDown", "F10"],
    does: KEYS.stepOverCallsRun,
    run: (w) => w.transport.step("over"),
  },
  {
    keys: ["ArrowUp", "Shift+F11"],
    does: KEYS.stepOutOfThisFunction,
    run: (w) => w.transport.step("out"),
  },
  { keys: ["ArrowLeft", "Shift+F10"], does: "step back", run: (w) => w.transport.back("step") },
  {
    keys: ["Shift+ArrowLeft"],
    does: KEYS.goBackToCall,
    run: (w) => w.transport.back("call"),
  },
  { keys: ["l"], does: "play; again: faster", run: (w) => playOn(w) },
  { keys: ["k"], does: "stop", run: (w) => w.transport.pause() },
  { keys: [".", "F8"], does: KEYS.goToNextBreakpointHit, run: (w) => w.stops.find("next") },
  {
    keys: [",", "Shift+F8"],
    does: KEYS.goBackToPreviousHit,
    run: (w) => w.stops.find("previous"),
  },
  {
    keys: ["n"],
    does: KEYS.runToNextEvent,
    run: (w) => w.story.runTo.go("next"),
  },
  {
    keys: ["Shift+n"],
    does: KEYS.goBackToPreviousOne,
    run: (w) => w.story.runTo.go("previous"),
  },
  {
    keys: ["b"],
    does: KEYS.addOrRemoveBreakpoint,
    run: (w) => w.stops.toggleHere(),
  },
  { keys: ["Home"], does: KEYS.goToStart, run: (w) => w.transport.start() },
  {
    keys: ["End"],
    does: KEYS.goToFurthestPoint,
    run: (w) => w.transport.end(),
  },
  { keys: ["["], does: "slower", run: faster(-1) },
  { keys: ["]"], does: "faster", run: faster(1) },
  {
    keys: ["Control+z"],
    does: KEYS.undoLastChangeOfExperiment,
    run: (w) => w.changes.undo(),
  },
  { keys: ["Control+Shift+z"], does: "redo it", run: (w) => w.changes.redo() },
  { keys: ["d"], does: KEYS.disturbMachineAtThisMoment, run: show("disturb") },
  { keys: ["m"], does: KEYS.addOrRemoveBookmark, run: bookmarkHere },
  { keys: ["i"], does: KEYS.startRangeOfTimelineHere, run: (w) => setEnd(w, 0) },
  { keys: ["o"], does: KEYS.endRangeHere, run: (w) => setEnd(w, 1) },
  { keys: ["z"], does: KEYS.zoomTimelineToRange, run: zoomToRange },
  { keys: ["w"], does: KEYS.showWhoPaid, run: show("paid") },
  { keys: ["Shift+w"], does: KEYS.findSmallestExample, run: show("shrink") },
  { keys: ["x"], does: KEYS.changeExperiment, run: show("experiment") },
  { keys: ["g"], does: KEYS.goToStepOrTime, run: show("goto") },
  { keys: ["e"], does: KEYS.openEventLog, run: (w) => w.showLog() },
  { keys: ["s"], does: KEYS.shareThisMomentOpenFile, run: show("share") },
  { keys: ["Shift+s"], does: KEYS.openSavedMoments, run: show("saved") },
  { keys: ["p"], does: KEYS.showFilesOfProc, run: show("procfs") },
  {
    keys: ["Shift+p"],
    does: KEYS.switchProjectorMode,
    run: switchProjector,
  },
  {
    keys: ["c"],
    does: KEYS.projectorModeShow,
    run: (w) => w.layOut({ isCodeOpen: !w.store.getState().layout.isCodeOpen }),
  },
  { keys: ["Shift+c"], does: KEYS.compareHere, run: (w) => void compareHere(w) },
  { keys: ["?"], does: KEYS.showTheseKeys, run: show("help") },
  {
    keys: ["+", "=", "Enter"],
    does: KEYS.pageMapZoom,
    run: (w) => w.zooms.in(),
  },
  { keys: ["-"], does: KEYS.pageMapZoomOut, run: (w) => void w.zooms.out() },
  { keys: ["0"], does: KEYS.pageMapShowWholeNode, run: (w) => w.zooms.whole() },
  {
    keys: ["Escape"],
    does: KEYS.stopLongRunElse,
    run: (w) => leave(w),
  },
];

/** Moves an end of the timeline's range to the playhead. */
function setEnd(workbench: Workbench, end: 0 | 1): void {
  const { range, session } = workbench.store.getState();
  if (!session?.frame) return;
  const now_ns = session.frame.view.position.time_ns;
  const furthest_ns = session.frame.furthest.time_ns;
  const [from, to] = range ?? [0, furthest_ns];
  const moved: [number, number] = end === 0 ? [now_ns, to] : [from, now_ns];
  workbench.keep({
    range: moved[0] < moved[1] ? moved : end === 0 ? [now_ns, furthest_ns] : [0, now_ns],
  });
}

function zoomToRange(workbench: Workbench): void {
  const { range, window } = workbench.store.getState();
  workbench.keep({ window: window ? null : range });
}

/**
 * Escape: cancels the operation in progress; otherwise closes the open panel; otherwise clears the
 * selection.
 */
function leave(workbench: Workbench): void {
  if (workbench.store.getState().story.search) workbench.story.runTo.stop();
  else if (modeOf(workbench.store.getState()) === "seeking") workbench.transport.pause();
  else if (!workbench.zooms.out()) workbench.clearSelection();
}

function playOn(workbench: Workbench): void {
  const isPlaying = modeOf(workbench.store.getState()) === "playing";
  if (isPlaying) faster(1)(workbench);
  else workbench.transport.play();
}

const NAMES: Record<string, string> = {
  " ": KEYS.space,
  ArrowRight: "→",
  ArrowLeft: "←",
  ArrowUp: "↑",
  ArrowDown: "↓",
  Escape: KEYS.esc,
};

/** A key as the page shows it: ⇧F11. */
export function keyWords(key: string): string {
  if (key.startsWith("Control+")) return `Ctrl+${keyWords(key.slice("Control+".length))}`;
  const bare = key.replace("Shift+", "");
  const name = NAMES[bare] ?? (bare.length === 1 ? bare.toUpperCase() : bare);
  return key.startsWith("Shift+") ? `⇧${name}` : name;
}

/** The command of a key press; undefined if the focused element uses the key itself. */
export const commandFor = (event: KeyboardEvent): KeyCommand | undefined =>
  commandIn(KEY_COMMANDS, event);

/** The same for the commands of another page. */
export function commandIn<C extends Pick<KeyCommand, "keys">>(
  commands: readonly C[],
  event: KeyboardEvent,
): C | undefined {
  if (event.altKey || event.defaultPrevented) return undefined;
  if (isTaken(event)) return undefined;
  const isLetter = event.key.length === 1;
  if (event.ctrlKey || event.metaKey) {
    const chord = `Control+${event.shiftKey ? "Shift+" : ""}${event.key.toLowerCase()}`;
    return commands.find(({ keys }) => keys.includes(chord));
  }
  const bare = isLetter ? event.key.toLowerCase() : event.key;
  const of = (key: string) => commands.find(({ keys }) => keys.includes(key));
  if (!event.shiftKey) return of(bare);
  // A letter with Shift is a key of its own if it has a command; otherwise "?" could not be typed.
  return of(`Shift+${bare}`) ?? (isLetter ? of(bare) : undefined);
}

/** Whether it is the key that switches projector mode. */
export const isProjectorKey = (event: KeyboardEvent): boolean =>
  commandFor(event)?.run === switchProjector;

/** Whether the focused element uses this key itself. Function keys always belong to the
 * workbench. */
function isTaken({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement || target instanceof SVGElement)) return false;
  if (target.closest("dialog, [popover], input, select, textarea")) return true;
  if (/^F\d+$/.test(key)) return false;
  if (target.closest("[role=grid], [role=slider], [role=tablist]"))
    return /^(Arrow|Home|End|Page|Enter| $)/.test(key) || key === " ";
  return (key === " " || key === "Enter") && target.closest("button, a, summary") !== null;
}
