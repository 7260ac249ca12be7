// The texts of pages/home: plain strings, and functions for texts that contain values.

import { counted } from "../../engine/format";

/** `Course.tsx`: The course as a path: its parts and lessons in order, their goals, and the reader's progress. */
export const COURSE_TEXTS = {
  restMin: (rest: number) => `${rest} min`,
  startHere: "Start here",
  continue: "Continue",
  nextLesson: "Next lesson",
  aboutCourse: (lessons: number, minutes: string) =>
    `A course of ${counted(lessons, "lesson")}, ${minutes} in all. It begins with malloc and page faults, and needs no knowledge of the kernel.`,
  seeAllLessons: "See all lessons",
  youHaveFinishedEveryLesson: "You have finished every lesson.",
  course: "The course",
  openLesson: "<a>Open a lesson of your own</a> from its folder.",
  forClassHandouts: "<a>For a class</a>: handouts, and answers as files.",
  lessonsMinutes: (lessons: number, minutes: string) => `${counted(lessons, "lesson")}, ${minutes}`,
  about: (title: string) => `About ${title}`,
  afterItYouCan: "After it you can",
  buildsOnNoOtherLesson: "Builds on no other lesson.",
  buildsOn: "Builds on",
  and: " and ",
} as const;

/**
 * `HomePage.tsx`: The home page: what mmscope is, a machine about to make a decision, and links to
 * everything else.
 */
export const HOME_PAGE = {
  many: "Many runs at once",
  sweep:
    "<a>Sweep an experiment</a>: run it with many values of a tunable, a kernel or a seed, and see how a figure depends on them.",
  workbench: "Workbench",
  backToMyDraft: "Back to my draft",
  mmscope: "mmscope",
  title: "Watch the Linux kernel run short of memory, one decision at a time.",
  questionsToExplore: "Questions to explore",
  checkedAgainstPublishedResults: "Checked against published results",
  publishedTables:
    "<a>Published tables beside simulated ones</a>: five patch series from 2010 to 2021, each with its kernels, its workloads and a lesson. Run a benchmark with each kernel, and see where the simulated results agree with the published ones and where they do not.",
  howTrue:
    "<a>How true is this?</a> Values that real kernels printed and counted, beside the engine’s values for the same machines and workloads.",
  yourOwnMachine: "Your own machine",
  openCaptureOrTrace:
    "<a>Open a capture or a trace</a> of a real machine: its events, its counters and its reports, in the same timeline as a simulated run.",
  ownWorkload:
    "<a/> and run a workload on a machine of the same shape. Nothing leaves your browser.",
  pasteYourProcZoneinfo: "Paste your <code>/proc/zoneinfo</code>",
  runs: "<a>Your runs</a>: every run completed in this browser, with its results and your notes.",
  lookItUp: "Look it up",
  texts:
    "<a>Manual</a>: how to use the page. <a2>Glossary</a2>: the kernel’s terms and ours, each explained in a sentence or two.",
} as const;

/** `HomeStage.tsx`: A machine at its first watermark crossing, with one button that lets it continue. */
export const HOME_STAGE = {
  machineAtItsFirstWatermark: "A machine at its first watermark",
  streamingReaderBesideWorkingSet: "A streaming reader beside a working set",
  pause: "Pause",
  again: "Again",
  runOn: "Run on",
  engineIsStarting: "The engine is starting.",
  paused: "Paused.",
  stepThroughIt: "Step through it",
  memoryFills: "Memory fills.",
  addsPagesToPageCache: "adds pages to the page cache",
  memoryFillsOne: (times: string) =>
    `Memory fills: one page after another is read from a file${times}`,
  kernel: (what: string, times: string) => `The kernel ${what}${times}`,
} as const;

/** `questions.ts`: The ready-made experiments, each with the question that it answers. */
export const QUESTIONS_TEXTS = {
  whereDoesNext: "Where does the next page come from when a node is full?",
  whatHappensWhenReader: "What happens when a reader streams more than memory?",
  whatGoesToSwap: "What goes to swap when memory is not enough?",
  whyMustWriterWait: "Why must a writer wait for the disk?",
  whatChangesWhenWatermarksChange: "What changes when the watermarks change?",
  howDoKernelPages: "How do kernel pages end up between user pages?",
  whatHappensWhenMemory: "What happens when memory really runs out?",
  whyWasContainerKilled: "Why is a container killed while the machine has free memory?",
} as const;
