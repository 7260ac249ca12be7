// The texts of export: plain strings, and functions for texts that contain values.

import { clock, count, counted } from "../engine/format";

/** `EmbedPart.tsx`: Code for a frame in another site: choices, the code, and a preview. */
export const EMBED_PART = {
  play: "Play",
  step: "Step",
  stepBack: "Step back",
  toStartAndEnd: "To start and end",
  timeline: "Timeline",
  why: "Why",
  asReadersSystem: "same as the reader's system",
  light: "light",
  dark: "dark",
  previewOfFrame: "Preview of the frame",
  inYourOwnPage: "In your own page",
  size: "Size",
  theme: "Theme",
  htmlCodeOfFrame: "HTML code of the frame",
  copyCode: "Copy code",
  withWords: "With",
} as const;

/** `Figures.tsx`: Saves the parts of the page behind the dialog as pictures and numbers. */
export const FIGURES = {
  moment: (title: string, kernel: string, step: number, time_ns: number) =>
    `${title}, kernel ${kernel}, step #${count(step)}, ${clock(time_ns)} s (mmscope)`,
  machine: "The machine",
  timeline: "The timeline",
  notDrawn: "The picture could not be drawn.",
  savedAs: (file: string) => `Saved as ${file}.`,
  csv: "CSV",
  table: "Table",
} as const;

/** `ProcDialog.tsx`: The files that this kernel would print at this moment. */
export const PROC_DIALOG = {
  absent: "This kernel has no such file, or mmscope does not model it.",
  title: "The files of /proc",
  about: (kernel: string) => `As kernel ${kernel} would print them<at/>.`,
  at: "at <position/>",
  notLoaded: (message: string) =>
    `The code that prints these files could not be loaded: ${message}.`,
  tryAgain: "Try again",
  loading: "Loading …",
  copy: (file: string) => `Copy ${file}`,
  filesOf: "Files of",
  machine: "the machine",
  group: (path: string) => `memory cgroup ${path}`,
} as const;

/** `ShareDialog.tsx`: The link to this moment, and other ways to save and share it. */
export const SHARE_DIALOG = {
  shareThisMoment: "Share this moment",
  about:
    "Anyone who opens this link sees the same experiment<at/>, with your title, note, bookmarks and breakpoints. The link itself contains everything; nothing is stored on a server.",
  at: (position: string) => `at ${position}`,
  asFile: "As a file",
  tooLong: (characters: number, most: number) =>
    `A link to this moment would have ${counted(characters, "character")}. Mail and chat programs cut off links of more than ${count(most)}. Save the moment as a file and send that.`,
  link: "Link",
  copyLink: "Copy link",
  length: (characters: number) => counted(characters, "character"),
  inThisBrowser: "In this browser",
  savedMoments: "Saved moments",
  titleAndNote: "Title and note",
  hideThemOnPage: "Hide title and note on the page",
  showThemOnPage: "Show title and note on the page",
} as const;
