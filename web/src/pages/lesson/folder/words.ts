// The texts of pages/lesson/folder: plain strings, and functions for texts that contain values.

import { counted } from "../../../engine/format";

/**
 * `FolderPage.tsx`: The user's own lesson: a folder or an archive that was chosen or dropped, with
 * every error by file and line.
 */
export const FOLDER_PAGE = {
  fromYourFolder: "From your folder <name/>. This browser keeps it.",
  saveAsFile: "Save as a file",
  openItAgainOrAnother: "Open it again, or open another",
  documentTitle: "A lesson of your own · mmscope",
  title: "A lesson of your own",
  about:
    "Choose the folder of a lesson: <code>index.mdx</code> and its JSON files. Or choose a <code>.zip</code> file of such a folder. You can also drag either into any page. The page checks it by the same rules as the lessons that come with mmscope. It keeps the lesson in this browser and sends it nowhere.",
  backTo: (name: string) => `Back to ${name}`,
  reading: (reading: string) => `Reading ${reading}.`,
  nameHasFaults: (name: string, faults: number) => `${name} has ${counted(faults, "fault")}`,
  isStillOpen: (name: string) => `${name} is still open.`,
  firstAreListed: (mostFaults: number) => `The first ${mostFaults} are listed.`,
  chooseFolder: "Choose a folder",
  folderOfLesson: "Folder of a lesson",
  chooseZipFile: "Choose a .zip file",
  archiveOfLesson: "Archive of a lesson",
} as const;

/** `Format.tsx`: The format of a lesson's folder, and a template to start with. */
export const FORMAT = {
  howToWriteOne: "How to write one",
  templateHelp:
    "Save the template: it is a complete lesson, which opens here unchanged. To change it, unpack it, edit its files, and open the folder. The page names every fault by file and line.",
  saveTemplateMyLessonZip: "Save the template (my-lesson.zip)",
  itsFiles: "Its files",
  optional: "optional",
  whatExperimentMaySay: "The fields of an experiment are described in <a>this list</a>.",
  componentsInTextBesidesMarkdown: "Components in the text, besides Markdown",
  attributesAreQuotedStrings:
    "Attributes are quoted strings. Expressions and imports are not allowed: no code of a folder is executed.",
} as const;

/**
 * `OwnLessons.tsx`: The lessons that the browser stores for the user: open them, save them as a
 * file, remove them.
 */
export const OWN_LESSONS = {
  yourLessons: "Your lessons",
  about: "They are kept in this browser. To share a lesson, save it as a file.",
  openLabel: (title: string) => `Open ${title}`,
  open: "Open",
  saveAsFileLabel: (title: string) => `Save ${title} as a file`,
  saveAsFile: "Save as a file",
  removeLabel: (title: string) => `Remove ${title}`,
  remove: "Remove",
  undo: "Undo",
} as const;
