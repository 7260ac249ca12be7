// The texts of pages/docs: plain strings, and functions for texts that contain values.

/** `DocPage.tsx`: One text of docs/ as a page. */
export const DOC_PAGE = {
  otherTexts: "Other texts",
  table: "Table",
} as const;

/** `UnknownPage.tsx`: The page for an unknown address. */
export const UNKNOWN_PAGE = {
  documentTitle: "No such page · mmscope",
  noSuchPage: "No such page",
  thereIsNoSuchPage: "There is no such page",
  nothingHere:
    "mmscope has no page at <readable/>. Nothing you made is lost: drafts, saved moments and answers are still in this browser.",
  whereYouCanGo: "Where you can go",
  home: "<a>Home</a>: a machine to watch, and all lessons",
  workbench: "Workbench",
  yourDraftInWorkbench: "Your draft in the workbench",
  publishedTables: "Published tables",
} as const;

/** `texts.ts`: The texts of docs/, each loaded when it is opened. */
export const TEXTS = {
  manual: "Manual",
  manualHelp: "How to use the page.",
  glossary: "Glossary",
  glossaryHelp: "The kernel's terms and ours, each in a sentence or two.",
  formatOfExperiment: "Format of an experiment",
  formatOfExperimentHelp: "Every field, with its unit, its limits and its default.",
  linkFormats: "Link formats",
  linkFormatsHelp: "The contents of a link and of a saved file.",
} as const;
