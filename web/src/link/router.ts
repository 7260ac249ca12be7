// The hash router. All information is in the fragment of the address, so that none of it reaches a
// server, and the page works from any folder of any host:
//
//   #/                               home
//   #/workbench                      the user's draft, or the first scenario
//   #/workbench?x=...                a packed link (link.ts)
//   #/workbench?preset=ID            a ready-made experiment at the first refusal of a zone
//   #/workbench?dialog=import        the draft, with a dialog open
//   #/lesson/ID                      a lesson
//   #/lesson-folder                  a user's own lesson, from a folder
//   #/class                          a class's answers, and the user's own as a file
//   #/report                         the published tables
//   #/report/TABLE                   one of them, beside the engine's results
//   #/report/TABLE?columns=A,B+C     the same with other kernels, patches and tunables as columns
//   #/compare                        two machines side by side
//   #/compare?a=...&b=...&by=...     two packed links, and by what they are aligned; from=STEP.STEP
//                                    and to=STEP.STEP are the ends of the range that is compared
//   #/sweep                          one experiment along axes: the sweep that was changed last
//   #/sweep?x=...                    a new sweep of the experiment of a packed link
//   #/sweep?preset=ID                a new sweep of a ready-made experiment
//   #/sweep?id=ID                    a sweep that this browser stores
//   #/trace                          a real machine: its capture or its trace, from files
//   #/truth                          how the engine compares with real kernels and published tables
//   #/runs                           the runs that the user has made, with notes
//   #/manual                         how to use the page; #/manual/SECTION a section of it
//   #/glossary                       what the terms mean
//   #/experiment                     the fields of an experiment
//   #/links                          the contents of links
//   anything else                    a page that reports an unknown address
//   ...?embed=stage                  some of these in a frame of another site (embed.ts)

import { type Embed, type EmbeddedPage, embedQuery, readEmbed } from "./embed";

/** The page, and the content that it shows. */
export type Address =
  | HomeAddress
  | WorkbenchAddress
  | LessonAddress
  | FolderAddress
  | ClassAddress
  | ReportAddress
  | CompareAddress
  | SweepAddress
  | TraceAddress
  | TruthAddress
  | HistoryAddress
  | DocAddress
  | UnknownAddress;

interface HomeAddress {
  readonly page: "home";
}

/** The workbench. */
export interface WorkbenchAddress {
  readonly page: "workbench";
  /** The packed link, if the address holds one. */
  readonly x: string | null;
  /** A ready-made experiment's id. */
  readonly preset?: string | null;
  /** A dialog to open first. */
  readonly dialog?: string | null;
  /** How it is shown in a frame, if it is in one. */
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
  /** A published table; null for the list of tables. */
  readonly table: string | null;
  /**
   * Kernels with patches and tunables, "5.15+throttle-writeback" or "6.12+lru_gen.enabled=0", instead
   * of the table's own columns.
   */
  readonly columns?: readonly string[] | null;
  readonly embed?: Embed;
}

/** Two machines side by side. */
export interface CompareAddress {
  readonly page: "compare";
  /** The packed links of both; null if the address holds none. */
  readonly a: string | null;
  readonly b: string | null;
  /** The alignment, in the short form; null for virtual time. */
  readonly by: string | null;
  /** The ends of the range whose counters are compared, as steps of both: "120.135". */
  readonly from?: string | null;
  readonly to?: string | null;
}

/** Runs of one experiment along axes. */
export interface SweepAddress {
  readonly page: "sweep";
  /** The packed link that contains the experiment of a new sweep. */
  readonly x: string | null;
  /** The ready-made experiment of a new sweep. */
  readonly preset: string | null;
  /** The stored sweep that opens. */
  readonly id: string | null;
}

/** The address names only the page, because files cannot be part of it. */
interface TraceAddress {
  readonly page: "trace";
}

interface TruthAddress {
  readonly page: "truth";
}

interface HistoryAddress {
  readonly page: "history";
}

/** Texts of docs/ that the page shows. */
export const DOCS = ["manual", "glossary", "experiment", "links"] as const;
/** One of {@link DOCS}. */
export type Doc = (typeof DOCS)[number];

/** A text of docs/. */
export interface DocAddress {
  readonly page: "doc";
  readonly doc: Doc;
  /** Id of a heading; null for the beginning of the text. */
  readonly section: string | null;
}

interface UnknownAddress {
  readonly page: "unknown";
  /** The fragment of the address. */
  readonly asked: string;
}

/** Reads a fragment. */
export function readFragment(fragment: string): Address {
  if (/^#?\/?(?:\?.*)?$/s.test(fragment)) return { page: "home" };
  const lesson = /^#\/lesson\/([a-z0-9-]+)\/?(?:\?(.*))?$/s.exec(fragment);
  if (lesson) return { page: "lesson", id: lesson[1] ?? "", ...framed("lesson", lesson[2]) };
  if (/^#\/lesson-folder\/?$/.test(fragment)) return { page: "folder" };
  if (/^#\/class\/?$/.test(fragment)) return { page: "class" };
  if (/^#\/trace\/?$/.test(fragment)) return { page: "trace" };
  if (/^#\/truth\/?$/.test(fragment)) return { page: "truth" };
  if (/^#\/runs\/?$/.test(fragment)) return { page: "history" };
  const sweep = /^#\/sweep\/?(?:\?(.*))?$/s.exec(fragment);
  if (sweep) {
    const part = (name: string) => field(sweep[1], name);
    return { page: "sweep", x: part("x"), preset: part("preset"), id: part("id") };
  }
  const report = /^#\/report(?:\/([a-z0-9-]+))?\/?(?:\?(.*))?$/s.exec(fragment);
  if (report) {
    const columns = columnsIn(report[2]);
    const table = report[1] ?? null;
    return { page: "report", table, ...(columns && { columns }), ...framed("report", report[2]) };
  }
  const text = /^#\/([a-z]+)(?:\/([^/?]*))?\/?$/.exec(fragment);
  const doc = DOCS.find((known) => known === text?.[1]);
  if (doc) return { page: "doc", doc, section: text?.[2] || null };
  const compare = /^#\/compare\/?(?:\?(.*))?$/s.exec(fragment);
  if (compare) {
    const part = (name: string) => field(compare[1], name);
    const [from, to] = [part("from"), part("to")];
    const range = { ...(from && { from }), ...(to && { to }) };
    return { page: "compare", a: part("a"), b: part("b"), by: part("by"), ...range };
  }
  const workbench = /^#\/workbench\/?(?:\?(.*))?$/s.exec(fragment);
  if (!workbench) return { page: "unknown", asked: fragment };
  return {
    page: "workbench",
    x: field(workbench[1], "x"),
    preset: field(workbench[1], "preset"),
    dialog: field(workbench[1], "dialog"),
    ...framed("workbench", workbench[1]),
  };
}

/** A field of a query; null if it is missing or empty. */
const field = (query: string | undefined, name: string): string | null =>
  new RegExp(`(?:^|&)${name}=([^&]*)`, "s").exec(query ?? "")?.[1] || null;

function framed(page: EmbeddedPage, query = ""): { readonly embed?: Embed } {
  const embed = readEmbed(page, query);
  return embed ? { embed } : {};
}

/** The names of columns in a query; null if there are none. */
function columnsIn(query = ""): readonly string[] | null {
  const [, text] = /(?:^|&)columns=([A-Za-z0-9.,+_=-]*)/.exec(query) ?? [];
  const columns = text?.split(",").filter((column) => column !== "") ?? [];
  return columns.length > 0 ? columns : null;
}

/** The page of sweeps without an experiment of its own: the sweep that was changed last. */
export const LAST_SWEEP: SweepAddress = { page: "sweep", x: null, preset: null, id: null };

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
    case "sweep":
      if (address.x) return `#/sweep?x=${address.x}`;
      if (address.preset) return `#/sweep?preset=${address.preset}`;
      return address.id ? `#/sweep?id=${address.id}` : "#/sweep";
    case "trace":
      return "#/trace";
    case "truth":
      return "#/truth";
    case "history":
      return "#/runs";
    case "doc":
      return address.section === null ? `#/${address.doc}` : `#/${address.doc}/${address.section}`;
    case "unknown":
      return address.asked;
    case "report":
      return asked(
        address.table === null ? "#/report" : `#/report/${address.table}`,
        address.columns ? [`columns=${address.columns.join()}`] : [],
        address,
      );
    case "compare": {
      const { a, b, by, from, to } = address;
      const query = Object.entries({ a, b, by, from, to }).filter(([, value]) => value);
      const words = query.map(([name, value]) => `${name}=${value}`).join("&");
      return words === "" ? "#/compare" : `#/compare?${words}`;
    }
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

/** How the page is shown in a frame; null if it is not in one. */
export const embedOf = (address: Address): Embed | null =>
  ("embed" in address && address.embed) || null;

/** The whole URL of an address, on this site or on another one. */
export function urlOf(address: Address, site = location.href): string {
  return new URL(writeFragment(address), site).href;
}

/**
 * Calls back when the user changes the address, follows a link or goes back; not when the page
 * itself replaces the address.
 */
export function watchAddress(changed: (address: Address) => void): () => void {
  // The event's address, because the page may have replaced the current one meanwhile.
  const listen = ({ newURL }: HashChangeEvent) => changed(readFragment(new URL(newURL).hash));
  addEventListener("hashchange", listen);
  return () => removeEventListener("hashchange", listen);
}

/** Shows an address in the address bar without a new entry in the history. */
export function replaceAddress(address: Address): void {
  const fragment = writeFragment(address);
  if (location.hash !== fragment) history.replaceState(null, "", fragment);
}
