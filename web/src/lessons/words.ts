// The texts of lessons: plain strings, and functions for texts that contain values.

/**
 * `heads.ts`: The data that the home page shows for each lesson, available without loading the
 * lesson.
 */
export const HEADS = {
  basics: "Basics",
  mechanisms: "Mechanisms",
  publishedPatchSeries: "Published patch series",
} as const;

/** `json-faults.ts`: Reads a JSON text by a schema. */
export const JSON_FAULTS = {
  file: "The file",
  unknownField: (field: string) => `The field ${field} is unknown.`,
  missing: (field: string) => `${field} is missing.`,
  tooShort: (field: string) => `${field} is empty, or too short.`,
  tooLong: (field: string) => `${field} is too long.`,
  badName: (field: string, received: string) =>
    `${field} is ${received}; a name consists of lowercase letters, digits and hyphens.`,
  notOneOf: (field: string, received: string, value: string) =>
    `${field} is ${received}; it must be ${value}.`,
} as const;

/** `progress-file.ts`: A reader's answers as a file, for a teacher or as a backup. */
export const PROGRESS_FILE = {
  noAnswers: "This file does not contain answers saved by mmscope.",
  newerFormat: (version: number, version2: number) =>
    `Its format is ${version}, from a newer mmscope; this page reads formats up to ${version2}. Reload the page to get the newer version.`,
  unreadable: "It cannot be read.",
  tooLarge: "It has more than 1 MiB; a file of answers is far smaller.",
  notRead: "The browser could not read it.",
} as const;

/** `standing.ts`: A reader's progress in each lesson, and the next lesson to read, from the stored progress. */
export const STANDING = {
  atStepOf: (step: number, steps: number) => `at step ${step} of ${steps}`,
} as const;

/** `student.ts`: The reader's name for files of answers. */
export const STUDENT = {
  noName: "Enter your name first, so that your teacher can tell whose file it is.",
  noAnswers: "You have not answered anything yet.",
  saved: (file: string) => `Saved as ${file}. The file holds your name and your answers.`,
} as const;
