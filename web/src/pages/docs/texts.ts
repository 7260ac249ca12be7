// The texts of docs/, each loaded when it is opened.

import type { Doc } from "../../link/router";
import { TEXTS } from "./words";

/** Titles and purposes of the texts. */
export const TITLES: Readonly<Record<Doc, { readonly title: string; readonly about: string }>> = {
  manual: { title: TEXTS.manual, about: TEXTS.manualHelp },
  glossary: { title: TEXTS.glossary, about: TEXTS.glossaryHelp },
  experiment: {
    title: TEXTS.formatOfExperiment,
    about: TEXTS.formatOfExperimentHelp,
  },
  links: { title: TEXTS.linkFormats, about: TEXTS.linkFormatsHelp },
};

const load = (doc: Doc) => {
  switch (doc) {
    case "manual":
      return import("../../../../docs/manual.md");
    case "glossary":
      return import("../../../../docs/glossary.md");
    case "experiment":
      return import("../../../../docs/experiment.md");
    case "links":
      return import("../../link/CHANGELOG.md");
  }
};

const loading = new Map<Doc, ReturnType<typeof load>>();

/** Loads a text once. */
export function loadText(doc: Doc): ReturnType<typeof load> {
  const known = loading.get(doc) ?? load(doc);
  loading.set(doc, known);
  return known;
}
