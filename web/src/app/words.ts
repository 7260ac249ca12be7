// The texts of app: plain strings, and functions for texts that contain values.

import { clock, count, counted, zoneWords } from "../engine/format";

/**
 * `arrival.ts`: Compares the position of the engine with the position in a link: reproduced,
 * different, or from another engine.
 */
export const ARRIVAL = {
  otherEngine: (made: string, age: string, engine: string, time_ns: number) =>
    `This link was made with engine ${made}, and this page runs the ${age} ${engine}. You are at the same virtual time, ${clock(time_ns)} s, but the step may differ.`,
  endsEarlier: (step: number, end: number) =>
    `The link points to step ${count(step)}, but this run ends earlier, at step ${count(end)}.`,
  reproduced: (step: number, hash: string) =>
    `Reproduced: step ${count(step)} has the state hash of the link, ${hash}.`,
  differs: (step: number, hash: string, hash2: string) =>
    `Step ${count(step)} differs: its state hash is ${hash}, but the link has ${hash2}.`,
} as const;

/** `changes.ts`: Undo and redo: restores experiments that another one has replaced. */
export const CHANGES = {
  undone: "Change undone.",
  redone: "Change redone.",
} as const;

/** `controller.ts`: All actions of a user, as functions on one store and one engine. */
export const CONTROLLER = {
  replaced: "Another experiment was opened before this one was ready.",
  restarted: "The engine restarted before it had read the experiment.",
  noPreset: (shortened: string) => `preset: there is no ready-made experiment "${shortened}".`,
  workerEnded: "The browser ended the worker that ran the engine.",
  silent: "The engine has not responded for more than a minute.",
} as const;

/** `goals.ts`: Small functions of the controller that need no state. */
export const GOALS = {
  runningToEnd: "Running to the end",
  goingTo: (goal_step: number) => `Going to #${count(goal_step)}`,
  goingBack: "Going back",
  goingToS: (goal_ns: number) => `Going to ${clock(goal_ns)} s`,
  steps: (step: number, goal_step: number) => `#${count(step)} of ${count(goal_step)}`,
} as const;

/** `keys.ts`: The keyboard: the command of each key, and where it does not apply. */
export const KEYS = {
  showWhoPaid: "show who paid for reclaim",
  findSmallestExample: "find the smallest example for which a statement holds",
  compareHere: "compare this moment with another kernel; press again to return",
  stepIntoNextLine: "step into: the next line of this task",
  stepOverCallsRun: "step over: calls run to their end",
  stepOutOfThisFunction: "step out of this function",
  goBackToCall: "go back to the call of this function",
  goToNextBreakpointHit: "go to the next breakpoint hit",
  goBackToPreviousHit: "go back to the previous breakpoint hit",
  runToNextEvent: "run to the next event of the kind chosen beside Next",
  goBackToPreviousOne: "go back to the previous event of that kind",
  addOrRemoveBreakpoint: "add or remove a breakpoint at the next line",
  goToStart: "go to the start",
  goToFurthestPoint: "go to the furthest point reached; press again to run to the end",
  undoLastChangeOfExperiment: "undo the last change of the experiment",
  disturbMachineAtThisMoment: "disturb the machine at this moment",
  addOrRemoveBookmark: "add or remove a bookmark at this moment",
  startRangeOfTimelineHere: "start a range of the timeline at this moment",
  endRangeHere: "end the range at this moment",
  zoomTimelineToRange: "zoom the timeline to the range; press again to show all of it",
  changeExperiment: "change the experiment",
  goToStepOrTime: "go to a step or time",
  openEventLog: "open the event log",
  shareThisMomentOpenFile: "share this moment or open a file",
  openSavedMoments: "open saved moments",
  showFilesOfProc: "show the files of /proc at this moment",
  switchProjectorMode: "switch projector mode on or off: it enlarges the machine for an audience",
  projectorModeShow: "projector mode: show or hide the code over the machine",
  showTheseKeys: "show these keys",
  pageMapZoom: "page map: zoom in at the cursor",
  pageMapZoomOut: "page map: zoom out one level",
  pageMapShowWholeNode: "page map: show the whole node",
  stopLongRunElse:
    "stop a long run; otherwise zoom the page map out; otherwise clear the selection",
  space: "Space",
  esc: "Esc",
} as const;

/** `narration.ts`: The text for a screen reader after a manual step or a pause: the engine's own sentence. */
export const NARRATION = {
  position: (step: number, time_ns: number) => `Step ${count(step)}, ${clock(time_ns)} seconds.`,
  ended: (where: string) => `The run has ended. ${where}`,
  isIn: (name: string, value: string) => `${name} is in ${value}.`,
  noDecision: "No decision in this step.",
} as const;

/** `pace.ts`: The speeds of playback: steps a second, slow enough to follow each, then virtual time a second on a log scale. */
export const PACE = {
  perSecond: "per second",
  steps: (steps_per_s: number) => counted(steps_per_s, "step"),
} as const;

/** `stops.ts`: Breakpoints and searches. */
export const STOPS = {
  tooMany: (most: number) =>
    `There are already ${most} breakpoints, the maximum. Remove one first.`,
  noneOn: "All breakpoints are off. Add a breakpoint or switch one on first.",
  noneAhead: "No breakpoint is hit in the rest of this run.",
  noneBefore: "No breakpoint was hit before this moment.",
  notBefore: (subject: string) => `This did not happen before this moment: ${subject}.`,
} as const;

/** `transport.ts`: Movement through the run: single steps, playback, and jumps. */
export const TRANSPORT = {
  ended: "The run has ended. Go back in the run to play it again.",
} as const;

/** `watch.ts`: What a user can stop at or trace back, in the kernel's names, so that it means the same in a link opened years later. */
export const WATCH = {
  isCalled: (name: string) => `${name} is called`,
  line: (name: string, value: number) => `${name}, line ${value}`,
  changes: (name: string) => `${name} changes`,
  freePagesInChange: (zone: string) => `free pages in ${zoneWords(zone)} change`,
  crossesItsWatermark: (zone: string, mark: string) =>
    `${zoneWords(zone)} crosses its ${mark} watermark`,
  changesState: (taskName: string) => `${taskName} changes state`,
  kswapdWakesOrSleeps: (node: number) => `kswapd${node} wakes or sleeps`,
} as const;

/** `pair/pair.ts`: Two machines in lock-step. */
export const PAIR = {
  endsEarlier: "The other run ends before this moment: the page shows its end.",
  decisionsLost: "memory is short, and the first decisions are no longer recorded",
} as const;
