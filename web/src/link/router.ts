// The hash router. All of an address that matters is in the fragment, so that nothing of it reaches
// a server and the page works from any folder of any host:
//
//   #/                               home
//   #/workbench                      the person's draft, or the first scenario
//   #/workbench?x=...                a packed link (link.ts)
//   #/workbench?preset=ID            a ready-made experiment where it first comes under pressure
//   #/workbench?dialog=import        the draft, with a dialog open
//   #/lesson/ID                      a lesson
//   #/lesson-folder                  a lesson of a person's own, from a folder
//   #/class                          answers of a class, and one's own as a file
//   #/report                         the published tables
//   #/report/TABLE                   one of them, beside what the engine makes of it
//   #/truth                          what the engine was held against, and how it came out
//   #/manual                         how to use the page; #/manual/SECTION a section of it
//   #/glossary                       what words mean
//   #/experiment                     what an experiment says, field by field
//   #/links                          what links hold
//   anything else                    a page that says so
//   ...?embed=stage                  any of these in a frame of somebody else's page (embed.ts)

import { type Embed, type EmbeddedPage, embedQuery, readEmbed } from "./embed";

/** Where the page is. */
export type Address =
  | HomeAddress
  | WorkbenchAddress
  | LessonAddress
  | FolderAddress
  | ClassAddress
  | ReportAddress
  | TruthAddress
  | DocAddress
  | UnknownAddress;

interface HomeAddress {
  readonly page: "home";
}

/** The workbench. */
export interface WorkbenchAddress {
  readonly page: "workbench";
  /** The packed link, when the address holds one. */
  readonly x: string | null;
  /** A ready-made experiment's id. */
  readonly preset?: string | null;
  /** A dialog to begin with. */
  readonly dialog?: string | null;
  /** How it shows in a frame, where it stands in one. */
  readonly embed?: Embed;
}

interface LessonAddress {
  readonly page: "lesson";
  readonly id: string;
  readonly embed?: Embed;
}

interface FolderAddress {
  readonly page: "folder";
}

interface ClassAddress {
  readonly page: "class";
}

interface ReportAddress {
  readonly page: "report";
  /** A published table; none for all of them. */
  readonly table: string | null;
  readonly embed?: Embed;
}

interface TruthAddress {
  readonly page: "truth";
}

/** Texts of docs/ that the page shows. */
export const DOCS = ["manual", "glossary", "experiment", "links"] as const;
/** One of {@link DOCS}. */
export type Doc = (typeof DOCS)[number];

/** A text of docs/. */
export interface DocAddress {
  readonly page: "doc";
  readonly doc: Doc;
  /** Id of a heading; none for its beginning. */
  readonly section: string | null;
}

interface UnknownAddress {
  readonly page: "unknown";
  /** The fragment, as it was asked for. */
  readonly asked: string;
}

/** Reads a fragment. */
export function readFragment(fragment: string): Address {
  if (/^#?\/?(?:\?.*)?$/s.test(fragment)) return { page: "home" };
  const lesson = /^#\/lesson\/([a-z0-9-]+)\/?(?:\?(.*))?$/s.exec(fragment);
  if (lesson) return { page: "lesson", id: lesson[1] ?? "", ...framed("lesson", lesson[2]) };
  if (/^#\/lesson-folder\/?$/.test(fragment)) return { page: "folder" };
  if (/^#\/class\/?$/.test(fragment)) return { page: "class" };
  if (/^#\/truth\/?$/.test(fragment)) return { page: "truth" };
  const report = /^#\/report(?:\/([a-z0-9-]+))?\/?(?:\?(.*))?$/s.exec(fragment);
  if (report) return { page: "report", table: report[1] ?? null, ...framed("report", report[2]) };
  const text = /^#\/([a-z]+)(?:\/([^/?]*))?\/?$/.exec(fragment);
  const doc = DOCS.find((known) => known === text?.[1]);
  if (doc) return { page: "doc", doc, section: text?.[2] || null };
  const workbench = /^#\/workbench\/?(?:\?(.*))?$/s.exec(fragment);
  if (!workbench) return { page: "unknown", asked: fragment };
  const of = (name: string) =>
    new RegExp(`(?:^|&)${name}=([^&]*)`, "s").exec(workbench[1] ?? "")?.[1] || null;
  return {
    page: "workbench",
    x: of("x"),
    preset: of("preset"),
    dialog: of("dialog"),
    ...framed("workbench", workbench[1]),
  };
}

function framed(page: EmbeddedPage, query = ""): { readonly embed?: Embed } {
  const embed = readEmbed(page, query);
  return embed ? { embed } : {};
}

/** Writes a fragment. */
export function writeFragment(address: Address): string {
  switch (address.page) {
    case "home":
      return "#/";
    case "lesson":
      return asked(`#/lesson/${address.id}`, [], address);
    case "folder":
      return "#/lesson-folder";
    case "class":
      return "#/class";
    case "truth":
      return "#/truth";
    case "doc":
      return address.section === null ? `#/${address.doc}` : `#/${address.doc}/${address.section}`;
    case "unknown":
      return address.asked;
    case "report":
      return asked(address.table === null ? "#/report" : `#/report/${address.table}`, [], address);
    case "workbench": {
      const { x, preset, dialog } = address;
      const query = Object.entries({ x, preset, dialog }).filter(([, value]) => value);
      return asked(
        "#/workbench",
        query.map(([name, value]) => `${name}=${value}`),
        address,
      );
    }
  }
}

function asked(
  path: string,
  query: readonly string[],
  { page, embed }: WorkbenchAddress | LessonAddress | ReportAddress,
): string {
  const words = [...query, ...(embed ? [embedQuery(page, embed)] : [])].join("&");
  return words === "" ? path : `${path}?${words}`;
}

/** How the page shows in a frame; none where it stands by itself. */
export const embedOf = (address: Address): Embed | null =>
  ("embed" in address && address.embed) || null;

/** The whole URL of an address. */
export function urlOf(address: Address): string {
  return new URL(writeFragment(address), location.href).href;
}

/**
 * Calls back when the person goes to another one by editing the address, a link or the browser's
 * back button; not when the page itself replaces the address.
 */
export function watchAddress(changed: (address: Address) => void): () => void {
  // Not where the address is now: the page may have shown its own there meanwhile.
  const listen = ({ newURL }: HashChangeEvent) => changed(readFragment(new URL(newURL).hash));
  addEventListener("hashchange", listen);
  return () => removeEventListener("hashchange", listen);
}

/** Shows an address in the address bar without a new entry in the history. */
export function replaceAddress(address: Address): void {
  const fragment = writeFragment(address);
  if (location.hash !== fragment) history.replaceState(null, "", fragment);
}
