// The versioned link: the contents of an address, and the validation of an external link.

import { shortSentence } from "../engine/shortened";
import { withClassicLists } from "./classic-lists";
import { LINK_LIMITS, pack, unpack } from "./codec";
import { applyChanges, type Change, difference, type Json } from "./difference";
import { isTooDeep } from "./json-positions";
import {
  type LinkBookmark,
  type LinkBreakpoint,
  type LinkCursor,
  type LinkDocument,
  type LinkResult,
  type LinkView,
  readDocument,
} from "./schema";

/** The version in which links are written. A new version needs an upgrader, a museum link and a
    changelog line. */
export const CURRENT_LINK_VERSION = 6;
/** The last version that was written before kernel 6.12 booted with the multi-generational LRU. */
const LAST_WITH_CLASSIC_LISTS = 5;

/** The contents of a link. */
export interface Link {
  /** The experiment as JSON text; the engine checks it. */
  readonly experiment: string;
  readonly cursor: LinkCursor | null;
  /** The result of the run, for others to reproduce. */
  readonly result: LinkResult | null;
  readonly followed: number | null;
  readonly selected: readonly string[];
  /** Zone shown in each node's free lists, by node id. */
  readonly lists: Readonly<Record<string, string>>;
  readonly breakpoints: readonly LinkBreakpoint[];
  readonly bookmarks: readonly LinkBookmark[];
  readonly view: LinkView;
  /** The user's title of this moment. The note explains it. */
  readonly title: string;
  readonly note: string;
}

/** A link to an experiment's start and nothing else. */
export const bareLink = (experiment: string): Link => ({
  experiment,
  cursor: null,
  result: null,
  followed: null,
  selected: [],
  lists: {},
  breakpoints: [],
  bookmarks: [],
  view: NO_VIEW,
  title: "",
  note: "",
});

/** The page's initial view. */
const NO_VIEW: LinkView = { tracks: [], zoom: {} };

/** The reason why a link was not opened. */
export type LinkRefusal = "too-large" | "not-ours" | "from-a-newer-version" | "invalid";

/** An opened link, or the reason why it was rejected. */
export type OpenedLink = { readonly ok: true; readonly link: Link } | RefusedLink;

/** A refused link. */
interface RefusedLink {
  readonly ok: false;
  readonly why: LinkRefusal;
  readonly detail: string;
  /** The wrong field, if one field is wrong. */
  readonly path?: string;
}

/** Ready-made experiments by id, as canonical JSON. */
export type Presets = Readonly<Record<string, string>>;

type LooseDocument = Record<string, unknown>;

/** upgraders[n] turns a document of version n-1 into one of version n. */
const upgraders: Record<number, (document: LooseDocument) => LooseDocument> = {
  1: (document) => document, // First public version.
  2: (document) => document, // Added `breakpoints`; without it there are none.
  3: (document) => document, // Added `title`, `note`, `bookmarks` and `view`.
  4: (document) => document, // Added `view.log.decisions`; without it there are none.
  5: (document) => document, // Added `result`.
  6: (document) => document, // Changed the default of a tunable; see `resolve`.
};

assertContiguous(upgraders, CURRENT_LINK_VERSION);

/** Fails when the page loads rather than when a user opens an old link. */
function assertContiguous(table: Record<number, unknown>, current: number): void {
  const have = Object.keys(table).map(Number);
  const isWhole = have.length === current && have.every((version, i) => version === i + 1);
  if (!isWhole) throw new Error(`link upgraders ${have.join()} do not lead to ${current}`);
}

/** Writes a link; describes the experiment by the preset that gives the shortest text. */
export function writeLink(link: Link, presets: Presets): string {
  return pack(JSON.stringify(documentOf(link, presets)));
}

/** The document of a link: without empty fields, the experiment as changes to a preset. */
export function documentOf(link: Link, presets: Presets): Record<string, unknown> {
  const experiment: Json = JSON.parse(link.experiment);
  const { preset, changes } = shortest(experiment, presets);
  const document: Record<string, unknown> = { v: CURRENT_LINK_VERSION };
  if (preset !== null) document.preset = preset;
  if (changes.length > 0) document.changes = changes;
  if (link.cursor) document.cursor = link.cursor;
  if (link.result) document.result = link.result;
  if (link.followed !== null) document.followed = link.followed;
  if (link.selected.length > 0) document.selected = link.selected;
  if (Object.keys(link.lists).length > 0) document.lists = link.lists;
  if (link.breakpoints.length > 0) document.breakpoints = link.breakpoints;
  if (link.bookmarks.length > 0) document.bookmarks = link.bookmarks;
  const view = withoutEmpty(link.view);
  if (Object.keys(view).length > 0) document.view = view;
  if (link.title !== "") document.title = link.title;
  if (link.note !== "") document.note = link.note;
  return document;
}

/** A view without its empty fields, so that links stay short. */
const withoutEmpty = (view: LinkView): Partial<LinkView> =>
  Object.fromEntries(
    Object.entries(view).filter(([, value]) =>
      typeof value === "object" ? Object.keys(value).length > 0 : value !== undefined,
    ),
  );

interface Described {
  readonly preset: string | null;
  readonly changes: readonly Change[];
}

/** Whether a preset has a ready-made machine or this experiment's own; changes to others would
 * be large. */
function isOnOwnMachine(preset: Json, experiment: Json): boolean {
  const machineOf = (value: Json) => (value as { readonly machine?: Json } | null)?.machine;
  const machine = machineOf(preset);
  return (
    typeof machine === "string" || JSON.stringify(machine) === JSON.stringify(machineOf(experiment))
  );
}

function shortest(experiment: Json, presets: Presets): Described {
  const candidates: Described[] = [
    { preset: null, changes: [[[], experiment]] },
    ...Object.entries(presets)
      .map(([preset, text]) => [preset, JSON.parse(text) as Json] as const)
      .filter(([, from]) => isOnOwnMachine(from, experiment))
      .map(([preset, from]) => ({ preset, changes: difference(from, experiment) })),
  ];
  const size = ({ changes }: Described) => JSON.stringify(changes).length;
  return candidates.reduce((best, next) => (size(next) < size(best) ? next : best));
}

/**
 * Validates the `x` of an address. This never throws, never clamps values and never runs an
 * experiment.
 */
export function openLink(encoded: string, presets: Presets, limits = LINK_LIMITS): OpenedLink {
  const unpacked = unpack(encoded, limits);
  return unpacked.ok ? judgeDocument(parse(unpacked.text), presets) : unpacked;
}

/**
 * Validates the document of a link from any source: upgrades the document first, then checks it
 * field by field.
 */
export function judgeDocument(value: unknown, presets: Presets): OpenedLink {
  if (!isDocument(value))
    return refuse("not-ours", "It does not say which version of mmscope wrote it.");
  const { v: version } = value;
  if (version > CURRENT_LINK_VERSION) {
    const detail = `It has format ${version}; this page reads formats up to ${CURRENT_LINK_VERSION}.`;
    return refuse("from-a-newer-version", detail);
  }
  const read = readDocument(withoutSecond(upgrade(value, version)));
  if (read.ok) return resolve(read.document, version, presets);
  const { path, reason } = read;
  return { ...refuse("invalid", `${path || "the document"}: ${reason}`), path };
}

const refuse = (why: LinkRefusal, detail: string): RefusedLink => ({
  ok: false,
  why,
  detail: shortSentence(detail),
});

/**
 * The maximum length of an address that the page offers, because mail and chat programs cut longer
 * ones.
 */
export const MOST_OFFERED = 8000;

/** Whether the page may offer this as a link: the whole address counts, and it must open again. */
export const mayBeLink = (address: string, packed: string): boolean =>
  address.length <= MOST_OFFERED && unpack(packed).ok;

function parse(text: string): unknown {
  if (isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isDocument(value: unknown): value is LooseDocument & { v: number } {
  return (
    typeof value === "object" &&
    value !== null &&
    "v" in value &&
    Number.isSafeInteger(value.v) &&
    Number(value.v) >= 1
  );
}

/** Drops the second experiment that a link of format 5 could have; no page ever opened it. */
function withoutSecond({ with: _, ...document }: LooseDocument): LooseDocument {
  return document;
}

function upgrade(document: LooseDocument & { v: number }, version: number): LooseDocument {
  let upgraded: LooseDocument = document;
  for (let to = version + 1; to <= CURRENT_LINK_VERSION; to += 1) {
    upgraded = { ...upgraders[to]?.(upgraded), v: to };
  }
  return upgraded;
}

/**
 * The link of a document. The experiment of an old version gets the defaults of its time here, because its
 * kernel can come from the preset or from a change.
 */
function resolve(document: LinkDocument, version: number, presets: Presets): OpenedLink {
  const { preset, changes, cursor, result, followed, v: _, ...rest } = document;
  const base = preset === undefined ? "null" : presets[preset];
  if (base === undefined || (preset !== undefined && !Object.hasOwn(presets, preset))) {
    return refuse("invalid", `preset: there is no ready-made experiment "${preset}".`);
  }
  // The document came from JSON.parse, so every value in it is JSON.
  const experiment = applyChanges(JSON.parse(base), changes as Change[]);
  if (!isExperiment(experiment)) return refuse("invalid", `changes: ${NO_EXPERIMENT}`);
  return {
    ok: true,
    link: {
      experiment: JSON.stringify(
        version <= LAST_WITH_CLASSIC_LISTS ? withClassicLists(experiment) : experiment,
      ),
      cursor: cursor ?? null,
      result: result ?? null,
      followed: followed ?? null,
      ...rest,
    },
  };
}

const NO_EXPERIMENT = "applying these changes does not produce an experiment.";

const isExperiment = (value: Json | undefined): value is { [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value);
