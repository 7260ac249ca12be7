// The texts of pages/class: plain strings, and functions for texts that contain values.

import { counted } from "../../engine/format";

/** `ClassPage.tsx`: For a class: a reader's own answers as a file, and a teacher's table of many such files. */
export const CLASS_PAGE = {
  documentTitle: "For a class · mmscope",
  title: "For a class",
  about:
    "Students save their answers as a file. A teacher opens the files here and sees who answered what. Nothing leaves the browser: you pass the files on yourself.",
  handoutsAndLearningPlatforms: "Handouts and learning platforms",
  handouts:
    "Each <a>lesson</a> prints a handout of at most four pages, and a key with the answers. The manual says <a2>how to put a lesson into a learning platform</a2> as a SCORM package.",
  saveYourAnswers: "Save your answers",
  own: (many: number) =>
    `${many === 0 ? "You have not answered a question in this browser yet." : `This browser has your answers to ${counted(many, "lesson")}.`} Your name is kept in this browser, and in the file that you save.`,
  yourName: "Your name",
  saveMyAnswers: "Save my answers",
  collectAnswersOfClass: "Collect the answers of a class",
  addFiles: "Add files",
  orDropThemHere: "or drop them here: one or more from each student, in any order.",
  filesOfStudents: "Files of students",
  undo: "Undo",
  thisFileWasNotAdded: "This file was not added:",
  theseFilesWereNotAdded: "These files were not added:",
} as const;

/** `ClassTable.tsx`: The table: a line for each student, three columns for each lesson and for all of them. */
export const CLASS_TABLE = {
  engineMarksAnswers: "The engine marks the answers",
  noLesson: "This page does not have the lesson",
  engineCouldNotMarkAnswers: "The engine could not mark the answers",
  allLessons: "All lessons",
  resultsOfClass: "Results of the class",
  student: "Student",
  removeLabel: (name: string) => `Remove ${name}`,
  remove: "Remove",
  saveAsCsv: "Save as CSV",
  removeAll: "Remove all",
  browserKeepsThisTable: "The browser keeps this table until you remove it.",
} as const;

/** `roster.ts`: The students of a class and their answers, read from files. */
export const ROSTER = {
  tableIsFull: (mostStudents: number) => `The table is full: it has ${mostStudents} students.`,
  addedNot: (taken: number, bad: number) =>
    `${counted(taken, "file")} added${bad > 0 ? `, ${bad} not` : ""}.`,
  wasRemoved: (name: string) => `${name} was removed.`,
  removed: (students: number) => `${counted(students, "student")} removed.`,
  browserDoesNotKeep: (done: string) =>
    `${done} The browser does not keep the table: it is lost when this page is closed.`,
} as const;

/** `table.ts`: The table of a class: its columns and rows, sorted, and the same as CSV. */
export const TABLE = {
  answered: "Answered",
  rightAtFirstTry: "Right at first try",
  built: "Built",
  partOfWords: (partWords: string) => `${partWords}, of`,
} as const;
