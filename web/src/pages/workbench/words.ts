// The texts of pages/workbench: plain strings, and functions for texts that contain values.

import { clock, count, duration } from "../../engine/format";

/** `Choices.tsx`: The parts of the open experiment, each with a menu to change it. */
export const CHOICES = {
  scenario: "Scenario",
  yourOwnExperiment: "Your own experiment",
  kernel: "Kernel",
  machine: "Machine",
  workload: "Workload",
} as const;

/** `EmbeddedStage.tsx`: The machine in a frame on another site, without the reader's address, draft and library. */
export const EMBEDDED_STAGE = {
  machine: "The machine",
  starting: "Starting",
  toStart: "To start",
  stepBack: "Step back",
  step: "Step",
  toEnd: "To end",
  play: "Play",
  pause: "Pause",
  stop: "Stop",
  transport: "Transport",
  engineIsStarting: "The engine is starting.",
  noDecisionInThisStep: "No decision in this step.",
} as const;

/** `ForkChip.tsx`: Says that this run is a fork, and where it diverged from the original run. */
export const FORK_CHIP = {
  forkAtS: (time_ns: number, words: string) => `Fork at ${clock(time_ns)} s: ${words}`,
  fork: "Fork",
  atS: (time_ns: number) => `at ${clock(time_ns)} s`,
} as const;

/** `GotoDialog.tsx`: Goes to a step or a time. */
export const GOTO_DIALOG = {
  example: "Enter a step such as #1234, or a time such as 0.012 s, 3.5 ms or 310 us.",
  asStep: (bare: string) => ` For a step, enter #${bare}.`,
  runEndsAt: (length_ns: number, asStep: string) =>
    `The run ends at ${duration(length_ns)}.${asStep}`,
  goTo: "Go to",
  stepOrTime: "Step or time",
  orMs: "#1234 or 3.5 ms",
  limits: (ended: boolean, step: number, time_ns: number, length_ns: number) =>
    ended
      ? `The run ends at #${count(step)}, ${clock(time_ns)} s.`
      : `The simulation has reached #${count(step)}, ${clock(time_ns)} s. The run ends at ${duration(length_ns)}.`,
  go: "Go",
  runToEnd: "Run to the end",
  checkpoints: (used: string, checkpointMib: number) =>
    `Checkpoints for going back use ${used} of ${checkpointMib} MiB.`,
} as const;

/** `HelpDialog.tsx`: A description of the page in three sentences, and every key. */
export const HELP_DIALOG = {
  keysAndHelp: "Keys and help",
  about:
    "The stage shows a machine's memory at one moment. Step forward and back with the arrow keys; the Why sentence says what the kernel compared and what followed. Names are links: point at one to highlight it everywhere.",
  texts:
    "<a>Manual</a>: how to use each part. <a2>Glossary</a2>: what the words mean. Your work is kept.",
  key: "key",
  does: "does",
  projectorMode: "Projector mode",
  focus:
    "Function keys work while the workbench has the focus: press Tab once, or click in it. Inside the page map and the timeline, the arrow keys move the cursor there.",
  licences: "mmscope and everything it uses is free software: <a>licences</a>.",
} as const;

/** `LongRunBar.tsx`: Progress of a long run: a bar, a percentage, a count, and the speed. */
export const LONG_RUN_BAR = {
  millionStepsS: (value: string) => `${value} million steps/s`,
  stepsS: (steps_per_s: number) => `${count(steps_per_s)} steps/s`,
} as const;

/** `MenuDialog.tsx`: The phone's menu: the contents of a wide page's bars. */
export const MENU_DIALOG = {
  compareHelp: "The same moment under another kernel, side by side.",
  whoPaid: "Who paid for reclaim",
  whoPaidHelp:
    "The tasks that reclaimed memory, the tasks they served, and the owners of the pages.",
  smallestExample: "Smallest example",
  smallestExampleHelp: "A smaller experiment for which a statement about counters still holds.",
  yourRuns: "Your runs<small>Every run completed in this browser, with your notes.</small>",
  menu: "Menu",
  changeExperiment: "Change the experiment",
  changeExperimentHelp: "Tunables, kernel, seed, length, or all of it as JSON.",
  yourMachine: "Your machine",
  yourMachineHelp: "Paste your /proc/zoneinfo.",
  trace:
    "Open a capture or a trace<small>The records of a real machine, in this timeline and event log.</small>",
  filesOfProc: "The files of /proc",
  filesOfProcHelp: "As this kernel would print them at this moment.",
  savedMoments: "Saved moments",
  savedMomentsHelp: "Moments kept in this browser. You can also open a file here.",
  keysAndHelp: "Keys and help",
  keysAndHelpHelp: "A description of the page, and every key.",
  manual: "Manual<small>How to use each part.</small>",
  glossary: "Glossary<small>What the terms of the kernel and of mmscope mean.</small>",
  lightTheme: "Light theme",
  darkTheme: "Dark theme",
  experiment: "Experiment",
  move: "Move",
  log: "Event log<small>Every event up to this moment: search, filter, save.</small>",
} as const;

/** `Notice.tsx`: A sentence about the last action, never cut off, with an undo button. */
export const NOTICE = {
  denied: "The browser denies storage: your draft is lost when this page closes.",
  full: "The browser's storage is full: your draft is lost when this page closes. Save it as a file.",
  whatJustHappened: "Last action",
  undo: "Undo",
  redo: "Redo",
  dismiss: "Dismiss",
} as const;

/** `Page.tsx`: The workbench as a page: it lays out the regions, listens to keys, and tells the engine when a frame has been painted. */
export const PAGE = {
  timeline: "Timeline",
  machine: "The machine",
  debugger: "Debugger",
} as const;

/** `PhoneBar.tsx`: The phone's fixed bar: clock, scrubber, back, play, step. */
export const PHONE_BAR = {
  transport: "Transport",
  playhead: "Playhead",
  back: "Back",
  step: "Step",
  machine: "Machine",
  code: "Code",
  tasks: "Tasks",
  lists: "Lists",
  view: "View",
} as const;

/** `Projector.tsx`: On a projector the machine fills the window: the sentence is its caption, and the code appears on request. */
export const PROJECTOR = {
  debugger: "Debugger",
  codeHelp: "Show the code of the function (C)",
  codeC: "Code <kbd>C</kbd>",
  leaveProjectorModePLabel: "Leave projector mode",
  leaveProjectorModeP: "Leave projector mode (⇧P)",
} as const;

/** `TopBar.tsx`: Shows the names of the experiment, with buttons that change and share it. */
export const TOP_BAR = {
  compare: "Compare",
  compareHelp: "The same moment under another kernel (⇧C)",
  sweep: "Sweep",
  starting: "Starting",
  nothingOpen: "Nothing open",
  change: "Change",
  yourMachine: "Your machine",
  proc: "/proc",
  saved: "Saved",
  share: "Share",
  keysAndHelp: "Keys and help",
  menu: "Menu",
} as const;

/** `Transport.tsx`: Run, pause, step, go back, go to, speed, clock. */
export const TRANSPORT = {
  toStart: "To start",
  backToCall: "Back to the call",
  stepBack: "Step back",
  toEnd: "To end",
  into: "Into",
  over: "Over",
  out: "Out",
  transport: "Transport",
  play: "Play",
  pause: "Pause",
  stop: "Stop",
  byEvents: "by events",
  byEventsHelp: "Skips waits, speeds up repetitions, and leaves time to read what happens.",
  byClock: "by the clock",
  byClockHelp: "A fixed number of steps, or a fixed amount of virtual time, per second.",
  tempo: "Tempo",
  speed: "Speed",
  nextLabel: (words: string) => `Run to next: ${words}`,
  nextHelp: (words: string) => `Run to next: ${words} (N). Back to the previous: ⇧N`,
  nextN: "Next <kbd>N</kbd>",
  runTo: "Run to",
  goToStep: "Go to a step or time (G)",
  goalOfEnded: (goal: string, ended: boolean | undefined) => `of ${goal}${ended ? "" : " +"}`,
} as const;

/** `scenarios.ts`: The ready-made experiments in the menu, grouped by subject. */
export const SCENARIOS = {
  wherePagesComeFrom: "Where pages come from",
  watermarksAndMemory: "Watermarks, and memory that runs out",
  pageCacheSwapAndWriteback: "Page cache, swap and writeback",
  publishedWritersCopies: "Published: writers, copies and kswapd, 2011 and 2014",
  publishedHugePages: "Published: huge pages and compaction, 2010 and 2011",
  publishedReclaimThrottling: "Published: reclaim throttling, 2021",
  publishedNumaPlacement: "Published: NUMA placement on four nodes and on two, 2012",
  firstTouchTeach:
    "The processes of first touch on small nodes: node 0 ends below 4 GiB and has no Normal zone, so its requests begin in DMA32.",
  firstTouch:
    "The processes of first touch on nodes of 2 GiB: node 0 ends below 4 GiB and has no Normal zone, so its requests begin in DMA32.",
  firstTouchPpc64:
    "The processes of first touch on a ppc64 machine: each node has one zone, and a page is 64 KiB.",
  threadsOfFirstTouch:
    "The threads of first touch with NUMA balancing: move one to the other node, and hinting faults bring its pages there.",
  fourJvmsWithKib:
    "The four JVMs with 4 KiB pages: there are 512 times as many entries to mark, to fault on and to move.",
  whileShortLivedTasks:
    "While short-lived tasks fill memory, vm.min_free_kbytes and vm.watermark_scale_factor are changed three times, which changes the watermarks of every zone.",
  others: "Others",
} as const;

/** Opening the sweep page with the experiment of the workbench. */
export const SWEEP_EXPERIMENT = {
  title: "Sweep this experiment",
  help: "Run the experiment with several values of a tunable, several kernels or several seeds, and compare the figures.",
} as const;
