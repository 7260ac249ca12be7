// The texts of debugger: plain strings, and functions for texts that contain values.

import { count, counted, zoneWords } from "../engine/format";

/** `AddStop.tsx`: A form for a breakpoint and, if it has fields, a condition. */
export const ADD_STOP = {
  functionIsCalled: "a function is called",
  lineIsReached: "a line is reached",
  eventHappens: "an event happens",
  zoneCrossesWatermark: "a zone crosses a watermark",
  zonesFreePagesChange: "a zone's free pages change",
  pageFrameChanges: "a page frame changes",
  taskChangesState: "a task changes state",
  kswapdWakesOrSleeps: "kswapd wakes or sleeps",
  stopWhen: "Stop when",
  add: "Add",
  onlyIf: "Only if",
  fieldLabel: "Field",
  fieldExample: "order",
  comparison: "Comparison",
  valueToCompare: "Value to compare with",
  any: "any",
  functionWords: "Function",
  line: "Line",
  event: "Event",
  counter: "Counter",
  counterExample: "pgfault",
  zone: "Zone",
  watermark: "Watermark",
  pageFrame: "Page frame",
  pageFrameExample: "0x52fcb",
  whatChanges: "Part that changes",
  task: "Task",
  node: "Node",
  missing: "This does not exist on the machine. Choose something else.",
  fieldMissing: "Name the field to compare: an argument, a local, or a field of the event.",
  lineMissing: "This function has no line with that number.",
  counterMissing: "This kernel has no counter of that name.",
  pageMissing:
    "This machine has no such page frame. Enter the number of one of its page frames, such as 0x52fcb.",
} as const;

/** `CodePanel.tsx`: The innermost function of the followed task; the next line to run is marked. */
export const CODE_PANEL = {
  pseudoCode: "Pseudo-code",
  userMode: "user mode",
  notInKernelSources: "not in the kernel sources",
  otherKernelsHelp: "Show the lines that only other kernels have",
  otherKernels: "Other kernels",
  inUserMode: "This task is in user mode: no kernel function runs.",
  linesOf: (name: string) => `Lines of ${name}`,
  firstToLast: (first: string, last: string | undefined) => `${first} to ${last}`,
  breakpointAtLine: (value: number) => `Breakpoint at line ${value}`,
} as const;

/** `EventsPanel.tsx`: Tracepoints and engine events of the last step. */
export const EVENTS_PANEL = {
  eventsInThisStep: "Events in this step",
  none: "None.",
  allEvents: "All events",
  stopLabel: (name: string) => `Stop at every ${name}`,
  stop: "stop",
  engine: "engine",
} as const;

/** `SideTabs.tsx`: Tabs of the debugger's lower half; arrow keys move between them. */
export const SIDE_TABS = {
  thisStep: "This step",
  explain: "Explain",
  breakpoints: "Breakpoints",
  values: "Values",
  debuggerViews: "Debugger views",
} as const;

/** `SourceLink.tsx`: A link to a function in a public browser of the kernel's sources, in a new tab. */
export const SOURCE_LINK = {
  inSourcesOfLinux: (name: string, tag: string) => `${name} in the sources of Linux ${tag}`,
  inSourcesOfLinux2: (name: string, tag: string) =>
    `${name} in the sources of Linux ${tag}, in a new tab`,
} as const;

/** `StackPanel.tsx`: The followed task's call stack, innermost first. */
export const STACK_PANEL = {
  callStack: "Call stack",
  following: (name: string) => `following ${name}`,
  deep: (depth: number) => `, ${count(depth)} deep`,
  followRunningTask: "follow the running task",
  userMode: "user mode",
  line: (value: number) => `line ${value}`,
  locals: "Locals",
  noLocals: "no locals",
} as const;

/**
 * `StopsPanel.tsx`: The list of breakpoints, with buttons to go to their hits and to switch, add
 * and delete them.
 */
export const STOPS_PANEL = {
  breakpoints: "Breakpoints",
  previousHit: "Previous hit",
  nextHit: "Next hit",
  noneYet: "No breakpoints yet. Click the margin of a line above, or choose what to stop at.",
  addBreakpoint: "Add a breakpoint",
  onlyIf: (condition: string) => `only if ${condition}`,
  missing: "This does not exist on the machine or in the kernel.",
  here: "here",
  remove: (words: string) => `Remove: ${words}`,
} as const;

/** `TruthPanel.tsx`: The functions that this kernel variant models, and their fidelity. */
export const TRUTH_PANEL = {
  mirrored: "Mirrored",
  mirroredHelp: "same decisions from the same inputs as the kernel, nothing left out",
  simplified: "Simplified",
  simplifiedHelp: "same direction of the effect; the note states the difference",
  absent: "Absent",
  absentHelp: "not modelled; the note says where it would matter",
  howTrueIsThis: "How true is this?",
  howEngineWasChecked: "How the engine was checked against real kernels",
} as const;

/** `ValuesPanel.tsx`: Values of the selected items and all counters, each with a link to its last change. */
export const VALUES_PANEL = {
  values: "Values",
  selected: "Selected",
  noneSelected: "Select a zone, a page or a task to trace its values back in time.",
  procVmstat: "/proc/vmstat",
  findCounter: "Find a counter",
  find: "find",
  counters: "Counters",
  noneFound: "No counter that has changed matches.",
  lastChangeHelp: "Go back to its last change",
  lastChange: (name: string) => `Last change of ${name}`,
  free: (key: string) => `${zoneWords(key)}: free`,
  watermark: (mark: string) => `${mark} watermark`,
} as const;

/** `WhyPanel.tsx`: The reason for the last decision, with the numbers that the kernel compared. */
export const WHY_PANEL = {
  why: "Why",
  onCpu: (task: string, cpu: number) => `${task} on CPU ${cpu}`,
  branches: "Branches",
  model: (kernel: string, words: string) => `This is a model of ${kernel}. ${words}`,
  at: "at <step/>",
  compared: (
    label: string,
    value: number,
    against_label: string,
    against: number,
    passed: boolean,
  ) =>
    `${label} ${count(value)}, compared with ${against_label} ${count(against)}: ${passed ? "passes" : "fails"}`,
  equal: "equal, not above",
  goToStep: (step: number) => `Go to step ${count(step)}, where it was decided`,
  failedZones: "Zones that failed the watermark check",
  failedZone: (number: number | null, mark: string, kept: number) =>
    `<key/>: <free/> free${number !== null ? `, ${count(number)} counted` : ""}, ${mark} <pages/>${kept > 0 ? ` + reserve ${count(kept)}` : ""}`,
  crossedLabel: (key: string, mark: string) =>
    `Go to where ${zoneWords(key)} last crossed its ${mark} watermark`,
  crossed: "crossed",
  running: "Running. The reason appears when it stops.",
  booted: "The machine has booted. Nothing has run yet: press Into.",
  undecided: (name: string | undefined) =>
    `${name ?? "The machine"} continued; no decision in this step.`,
  nextLine: (name: string, name2: string, line: string) =>
    `${name} is in ${name2}. Next line: ${line}`,
  pages: (amount: number) => counted(amount, "page"),
  toSpare: (words: string) => `${words} to spare`,
  short: (words: string) => `${words} short`,
} as const;
