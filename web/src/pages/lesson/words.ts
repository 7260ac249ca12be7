// The texts of pages/lesson: plain strings, and functions for texts that contain values.

import { clock, counted } from "../../engine/format";

/** `Ask.tsx`: A question: the reader predicts, the engine runs and marks. */
export const ASK = {
  prediction: "Prediction",
  seedRun: (seed: number) => `run ${seed}`,
  anotherRun: "Another run",
  runSays: "result of the run",
  lookAt: (time_ns: number) => `Look at ${clock(time_ns)} s`,
  runIt: "Run it",
  predictFirstEngineMarksYou: "Predict first. The engine marks you.",
  yourAnswerStaysBesideResult: "Your answer stays beside the result.",
  engineRunsStep: "The engine runs: step <step/>",
  cancel: "Cancel",
  runCouldNotBeMade: (message: string) => `The run failed: ${message}`,
  right: "Right.",
  notThisTimeYouSaid: (lower: string) => `Not this time. You said: ${lower}.`,
  showItOnStage: "Show it on the stage",
  watchItHappen: "Watch it happen",
} as const;

/** `Construct.tsx`: A build task: the reader changes settings until the runs meet a condition. */
export const CONSTRUCT = {
  construction: "Construction",
  tryIt: "Try it",
  engineRunsStep: "The engine runs: step <step/>",
  itRunsOnceWithEach: (word: string) => `It runs once with each ${word}.`,
  runsFailed: (message: string) => `The runs failed: ${message}`,
  engineRefusesIt: "The engine refuses it:",
  built: "Built.",
  notYet: "Not yet.",
  show: (valueName: string) => `Show ${valueName}`,
  atEnd: "at the end",
} as const;

/**
 * `LessonInfo.tsx`: A lesson's position in the course: its audience, its goals, and the lessons
 * that it builds on.
 */
export const LESSON_INFO = {
  lessonOf: (title: string, place: number, lessons: number) =>
    `${title}, lesson ${place} of ${lessons}`,
  level: "Level",
  time: "Time",
  about: (minutes: number) => `About ${counted(minutes, "minute")}`,
  buildsOn: "Builds on",
  noOtherLesson: "No other lesson",
  goals: "Goals",
  afterThisLessonYouCan: "After this lesson you can",
} as const;

/** `LessonPage.tsx`: A lesson: its steps, its prose, and its machine. */
export const LESSON_PAGE = {
  thereIsNoSuchLesson: "There is no such lesson",
  noLessonIsCalled: "No lesson is called <id/>.",
  home: "Home",
  lesson: "Lesson",
  browserDeniesStorage:
    "The browser denies storage: your answers are lost when this page is closed.",
  openIn: "Open in the",
  workbench: "workbench",
  stepsOfThisLesson: "Steps of this lesson",
  stepOfAboutInAll: (value: number, steps: number, minutes: number) =>
    `Step ${value} of ${steps}, about ${counted(minutes, "minute")} in all`,
  forgetMyAnswers: "Forget my answers",
} as const;

/**
 * `LiveStage.tsx`: The live machine next to the prose, with its clock, its numbers and the engine's
 * own sentence.
 */
export const LIVE_STAGE = {
  liveStage: "Live stage",
  starting: "Starting",
  projectorMode: "Projector mode",
  backToLessonP: "Back to the lesson (⇧P)",
  fillWindowForProjectorP: "Fill the window, for a projector (⇧P)",
  countedPatchesPatchPatches: (patches: number) => counted(patches, "patch", "patches"),
  counters: "Counters",
  transport: "Transport",
  stepBackLabel: "Step back",
  pause: "Pause",
  play: "Play",
  stepLabel: "Step",
  engineIsStarting: "The engine is starting.",
  running: "Running.",
  continues: (name: string | undefined) => `${name ?? "The machine"} continues.`,
  isIn: (name: string) => `${name} is in <code/>.`,
} as const;

/** `Onwards.tsx`: The end of a lesson: what the reader can do now, and what to read next. */
export const ONWARDS = {
  whatYouCanDoNow: "What you can do now",
  afterThisLesson: "After this lesson",
  nextLesson: (
    part: string | undefined,
    part2: string | undefined,
    title: string,
    minutes: number,
    about: string,
  ) =>
    `Next lesson: <a/>${part !== part2 ? `, the first of ${title}` : ""}, ${counted(minutes, "minute")}. ${about}`,
  thisIsLastLesson: "This is the last lesson of the course.",
  allLessons: "All lessons",
} as const;

/** `Published.tsx`: A published table: the rows that the prose discusses, named with "|" between them, and the others on demand. */
export const PUBLISHED = {
  published: (title: string) => `Published: ${title}`,
  asPublished: "<title/>, as published.",
  publishedName: (title: string) => `${title}, published`,
  runItSimulated: "Run it simulated",
  howTrueIsThis: "How true is this?",
  andWhatWasRun: (rest: number) => `${counted(rest, "more row")}, the workload and the machine`,
  whatWasRun: "Workload and machine",
  machine: (workload: string | null, machine: string) =>
    `${workload ? `${workload}. ` : ""}Machine: ${machine}.`,
  otherRows: (title: string) => `${title}, the other rows`,
  published2: "published",
  columnsOf: (name: string) => `Columns of ${name}`,
} as const;

/** `SaveAnswers.tsx`: At the end of a lesson: saves the answers as a file for a teacher. */
export const SAVE_ANSWERS = {
  handInYourAnswers: "Hand in your answers",
  yourName: "Your name",
  saveMyAnswers: "Save my answers",
  fileWithYourName:
    "A file with your name and your answers to this lesson. Your teacher opens it <a>on the class page</a>.",
} as const;

/** `Seeds.tsx`: Many runs of the same machine: the answer of each run, for each value of the knob. */
export const SEEDS = {
  runs: (all: number) => `${all} runs`,
  cancel: "Cancel",
  allOf: (all: number) => `<done/> of ${counted(all, "run")}`,
  runAll: (all: number) => `Run all ${all}`,
  runsFailed: (failure: string) => `The runs failed: ${failure}`,
  twentyRuns: "Twenty runs with each value; only the seed differs.",
  ofChooseOne: (done: number, all: number) =>
    `${done} of ${counted(all, "run")}. Choose one to see it on the stage.`,
  runsWith: (words: string) => `Runs with ${words}`,
  runWith: (seed: number, words: string, label: string | undefined) =>
    `Run ${seed} with ${words}: ${label ?? "not run yet"}`,
  seedRunLabel: (seed: number, label: string | undefined) =>
    `Run ${seed}${label ? `: ${label}` : ""}`,
  timesOfKeysTally: (times: number, keys: number, tally: string) => `${times} of ${keys} ${tally}`,
} as const;

/** `Step.tsx`: A step of the prose, as far as it is shown. */
export const STEP = {
  stepOf: (value: number, steps: number) => `step ${value} of ${steps}`,
  firstQuestion: (step: number) =>
    `Answer the question of step ${step}, <title/>, first: this step builds on it.`,
  showMeAnyway: "Show me anyway",
  resultOfRunAppears: "The result of the run appears here once you have answered.",
} as const;

/** `controller.ts`: An open lesson: predictions, the engine's marks, the scene on the stage. */
export const CONTROLLER = {
  itSaysNoReason: "it gives no reason.",
} as const;

/** `print.tsx`: Prints a lesson's handout, and the key to it. */
export const PRINT = {
  keyRunOf: (value: number, all: number) => `The key: run ${value} of ${all}.`,
  couldNotBeMade: (print: string, reason: string) => `The ${print} could not be made: ${reason}`,
  printHandout: "Print the handout",
  printKey: "Print the key",
  atMostFourPages: "At most four pages, with room to write. Only the key has the answers.",
} as const;

/** `prose.tsx`: The components for a lesson's prose, besides Markdown. */
export const PROSE = {
  showThisOnStage: "Show this on the stage",
  turnIt: "Change it",
  quarterOfMin: (quarter: number, managed: number, factor: number, share: number) =>
    `A quarter of min is ${quarter}; ${counted(managed, "page")} × ${factor} / 10,000 is ${share}. The step is <b/>: low <low/>, high <high/>.`,
} as const;
