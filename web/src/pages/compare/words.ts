// The texts of the page that compares two machines.

import { clock, count, counted, duration, percent } from "../../engine/format";

/** The page. */
export const PAGE = {
  title: "Compare",
  heading: (a: string, b: string) => (a === b ? a : `${a} / ${b}`),
  regions: "Both machines",
  starting: "The engine is starting.",
  opening: "The experiment is opening.",
  notOpen: {
    a: "Machine A did not open. Choose another experiment with the button above.",
    b: "Machine B did not open. Choose another experiment with the button above.",
  },
  waitsForA: "Machine B opens once you have chosen machine A.",
  nothing: "No experiment",
  machine: { a: "Machine A", b: "Machine B" },
  change: { a: "Change A", b: "Change B" },
  open: { a: "Open A in the workbench", b: "Open B in the workbench" },
  openShort: "Open",
  lead: { a: "A leads", b: "B leads" },
  leadHelp: "Steps and jumps move this machine; the other one follows.",
  noLink: "These experiments are too large for an address. Save them in the library instead.",
  refused: { a: "Machine A did not open", b: "Machine B did not open" },
  seed: (seed: number) => `seed ${seed}`,
  help: "Manual: compare two machines",
  swap: "Swap A and B",
  classicLists: "classic lists",
  generations: "generations",
} as const;

/** Ready-made pairs. */
export const READY = {
  title: "A ready-made pair",
  twoLrus: "Classic LRU lists and generations",
  aboutTwoLrus:
    "Kernel 6.12 runs a hot set beside a streaming reader. A has the classic active and inactive lists, B the multi-generational LRU.",
  open: "Open both",
  notRestored:
    "Machine B did not open, and the earlier experiment of machine A could not be opened again.",
  noPreset: (preset: string) => `There is no ready-made experiment ${preset}.`,
} as const;

/** The transport of both machines. */
export const TRANSPORT = {
  title: "Transport of both machines",
  start: "Start",
  back: "Step back",
  step: "Step",
  play: "Play both",
  pause: "Pause",
  end: "End",
  next: "Next divergence",
  noNext: "No further divergence is known in these runs so far.",
  aligned: "Synchronized by",
  byTime: "virtual time",
  byProgram: (task: string) => `progress of ${task}`,
  byEvent: (event: string) => `number of ${event}`,
  aboutTime: "Both machines are at the same virtual time.",
  aboutProgram: "Both machines are at the same point of this task’s program.",
  aboutEvent: "Both machines have had the same number of these events.",
  programs: "Program of a task",
  events: "Events of a kind",
  speed: "Speed",
  perSecond: (ns: number) => `${duration(ns)} per second`,
  goTo: "Go to a time, in seconds",
  go: "Go",
  notTime: "Enter a time in seconds, such as 0.25.",
  at: (time_ns: number) => `${clock(time_ns)} s`,
  step_of: (side: string, step: number) => `${side} #${count(step)}`,
} as const;

/** The commands of the keyboard. */
export const KEYS = {
  title: "Keys",
  toggle: "play, pause",
  step: "step the machine that leads",
  back: "step back",
  next: "go to the next divergence",
  first: "open the first divergence",
  start: "go to the start",
  end: "go to the furthest point reached",
  slower: "slower",
  faster: "faster",
  leadA: "A leads",
  leadB: "B leads",
  from: "start the range here",
  to: "end the range here",
  goTo: "go to a time",
  back_to_bench: "return to the workbench",
} as const;

/** The first divergence. */
export const FORK = {
  title: "First divergence",
  short: "Fork",
  find: "Find the first divergence",
  aboutFind: "This runs both experiments from their start, on two more machines.",
  cancel: "Cancel",
  searching: (step: number, time_ns: number) =>
    `The same for ${counted(step, "step")}, ${clock(time_ns)} s …`,
  none: (step: number) =>
    `Both runs are the same to the end, ${counted(step, "step")}: neither reached anything that differs between the experiments.`,
  equalFor: (step: number, time_ns: number) =>
    `Both machines behave identically for ${counted(step, "step")}, ${duration(time_ns)}.`,
  atStart: "The machines differ from the start.",
  lastLine: (name: string) => `The last line that both ran, by ${name}:`,
  nextLine: "The next line in each run:",
  ended: "The run has ended.",
  decision: "The first decision that differs:",
  noDecision: "No decision differs nearby.",
  noMore: "No decision follows nearby.",
  following: "Decisions after the divergence",
  reading: "Reading the decisions of both runs …",
  unreadable: (message: string) => `The decisions of both runs cannot be read: ${message}.`,
  readAgain: "Read the decisions again",
  show: "Open in both",
  taskIn: (task: string) => `${task} in <function/>`,
  stopped: (message: string) => `The search stopped: ${message}.`,
  sideOf: { a: "A", b: "B" },
} as const;

/** The timeline of both runs. */
export const TIME = {
  title: "Both runs over time",
  runs: "Runs",
  playhead: "Playhead of both machines",
  free: "Free pages",
  freeAbout: "of all zones",
  equal: (time_ns: number) => `the same for ${duration(time_ns)}`,
  fork: (time_ns: number) => `First divergence at ${clock(time_ns)} s`,
  meets: (time_ns: number) => `Equal again at ${clock(time_ns)} s`,
  diverges: (time_ns: number) => `Different again at ${clock(time_ns)} s`,
  marks: "Samples at which the runs diverge and meet again",
  about:
    "The runs meet again where, at a sample, all free pages, all counters and the activities of all tasks are equal.",
  moments: (many: number, isAll: boolean) =>
    many === 0
      ? "After the first divergence the runs are equal at no known sample"
      : isAll
        ? `After the first divergence the runs meet or part at ${counted(many, "sample")}`
        : `First ${counted(many, "sample")} at which the runs meet or part after the first divergence`,
  value: (time_ns: number) => `${clock(time_ns)} seconds`,
} as const;

/** The table of differences. */
export const TABLE = {
  title: "Counters",
  about: (from: string, to: string) => `The growth of each counter from ${from} to ${to}.`,
  start: "the start",
  present: "the present moment",
  moment: (a_ns: number, b_ns: number) =>
    a_ns === b_ns ? `${clock(a_ns)} s` : `${clock(a_ns)} s (A), ${clock(b_ns)} s (B)`,
  setFrom: "Start here",
  setTo: "End here",
  whole: "From the start to this moment",
  showEqual: "Show equal counters",
  counter: "Counter",
  a: "A",
  b: "B",
  difference: "B \u2212 A",
  ratio: "Change",
  bars: "\u00f7 8, same, \u00d7 8",
  barWords: (words: string) => `B compared with A: ${words}`,
  fromZero: "from 0",
  toZero: "to 0",
  same: "same",
  allEqual: "All counters grew equally in this range.",
  hidden: (many: number) => `${counted(many, "counter")} with equal growth`,
  draw: "Draw over time",
  drawIt: (name: string) => `Draw ${name} over time`,
  empty: "The range is empty: choose two different moments.",
} as const;

/** The table of CPU time. */
export const CPU_TIME = {
  title: "CPU time",
  about:
    "The CPU time that kswapd and each other task used in the same range. The time of interrupts is not part of any task.",
  show: "Show CPU time",
  hide: "Hide CPU time",
  replaying: (share: number) => `Both machines replay the range: ${percent(share)}.`,
  waits: "The table is computed once both machines stop.",
  retry: "Try again",
  noMemory:
    "These machines are too large: the browser has no memory for two more machines to replay the range.",
  failed: (message: string) => `The CPU time could not be computed: ${message}.`,
  task: "Task",
  user: "User mode",
  kernel: "Kernel",
  share: "Share of one CPU",
  absent: "no such task",
  same: "same",
  none: "No task ran in this range.",
} as const;

/** The dialog that chooses an experiment. */
export const CHOOSE = {
  title: { a: "Choose machine A", b: "Choose machine B" },
  fromOther: { a: "Like B, but", b: "Like A, but" },
  kernel: "Kernel",
  seed: "Seed",
  tunable: "Tunable",
  noTunable: "no other value",
  value: "Value",
  valueHelp: (about: string, usual: string) => `${about} The kernel’s default is ${usual}.`,
  patches: "Patches on top of the kernel",
  patchesLoading: "Loading the patches …",
  apply: "Compare",
  another: "Another experiment",
  preset: "Ready-made experiment",
  presetNone: "choose one",
  saved: "Saved moment",
  savedNone: "none is saved in this browser",
  untitled: "Untitled moment",
  link: "Link to a moment of mmscope",
  linkHelp: "Paste the address of a moment, or of a comparison: its first machine is used.",
  openIt: "Open",
  seedFault: "The seed is a whole number.",
  nothing: "Choose an experiment, a saved moment, or paste a link.",
  notLink: "This is not a link to a moment of mmscope.",
} as const;
