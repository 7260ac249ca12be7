// The texts of pages/lesson/handout: plain strings, and functions for texts that contain values.

/**
 * `Handout.tsx`: A lesson's handout: the text before the first prediction, its figures, and every
 * question with space to write.
 */
export const HANDOUT = {
  nameDate: "Name <i/> Date <i2/>",
  predictFirstThenRun:
    "Predict first, then run the experiment on the screen: the lesson says what happened and why.",
} as const;

/** `Key.tsx`: The key to a lesson's handout: for each question the answers, the result of each run, and the explanation. */
export const KEY = {
  key: "Key",
  titleKey: (title: string) => `Key: ${title}`,
  engineRanEveryQuestion: "The engine ran every question when this was printed.",
  setting: (setting: string, value: string, open: string | undefined) =>
    `Setting ${setting}: <label/>. <filled/>${value === open ? " This is run 1: other runs give other answers." : ""}`,
} as const;

/** `figures.tsx`: The figures of a handout: pictures of the stage at the scenes in the text. */
export const FIGURES = {
  handoutFigureOf: (value: number, wanted: number) => `The handout: figure ${value} of ${wanted}.`,
} as const;

/**
 * `paper.tsx`: A lesson's prose on paper: buttons become text, and questions get space to write.
 */
export const PAPER = {
  stage: (words: string) => `The stage: ${words}`,
  figure: (number: number) => `Figure ${number}.`,
  figure2: (number: number) => `(figure ${number})`,
  setting: (setting: string) => `Setting: ${setting}`,
  why: "Why?",
  otherSettings: (value: string) => `Other settings: ${value}. What is the answer then?`,
  onScreenTry: (value: string) =>
    `On the screen, try each value of <knobName/>: ${value}. What changes?`,
  youTry: (word: string, runs: string) =>
    `You try it on the screen, where it runs once for each “${word}”: ${runs}. What do you choose, and why?`,
} as const;

/** `sheet.tsx`: Shared parts of the handout and the key: their head, and printing. */
export const SHEET = {
  qrCodeOfLessonsAddress: "QR code of the lesson’s address",
} as const;
