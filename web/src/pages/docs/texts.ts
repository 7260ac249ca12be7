// The texts of docs/, each loaded when it is opened.

import type { Doc } from "../../link/router";

/** Titles and purposes of the texts. */
export const TITLES: Readonly<Record<Doc, { readonly title: string; readonly about: string }>> = {
  manual: { title: "Manual", about: "How to use the page." },
  glossary: { title: "Glossary", about: "The kernel's terms and ours, each in a sentence or two." },
  experiment: {
    title: "Format of an experiment",
    about: "Every field, with its unit, its limits and its default.",
  },
  links: { title: "Link formats", about: "The contents of a link and of a saved file." },
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
