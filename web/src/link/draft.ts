// The draft: what a person had open last, kept in the browser, and what it replaced. Storage may be
// denied or full; then the page works on and says so.

import { inBrowser, inTab, type Stored } from "../stored";
import { KEPT_LIMITS, unpack } from "./codec";

const DRAFT = "mmscope.draft";
const ASIDE = "mmscope.aside";
const TAB = "mmscope.tab";
/** How many replaced drafts wait for the library. */
const MOST_ASIDE = 10;

/** A draft that something else replaced. */
export interface Aside {
  readonly packed: string;
  /** When, ms since 1970. */
  readonly at_ms: number;
}

/** Reads the draft as a packed link. */
export function readDraft(): string | null {
  return inBrowser.read(DRAFT);
}

/** Keeps a packed link as the draft. */
export function keepDraft(packed: string): Stored {
  return inBrowser.write(DRAFT, packed);
}

/**
 * Puts a draft aside at once, so that it outlives a page that closes now; the library takes it over
 * when it is next opened. The same work at another moment takes the place of the earlier one.
 */
export function putAside(packed: string, at_ms: number): Stored {
  const work = workOf(packed);
  const others = readAside().filter(
    (other) => other.packed !== packed && (work === "" || workOf(other.packed) !== work),
  );
  return writeAside([...others, { packed, at_ms }].slice(-MOST_ASIDE));
}

/** The drafts that wait for the library, the last one at the end; nobody else writes there. */
export function readAside(): readonly Aside[] {
  try {
    return JSON.parse(inBrowser.read(ASIDE) ?? "[]");
  } catch {
    return [];
  }
}

/** Keeps these drafts for the library, and no others. */
export const writeAside = (list: readonly Aside[]): Stored =>
  inBrowser.write(ASIDE, JSON.stringify(list));

/** Notes what this tab has open where its address cannot hold it. */
export function keepInTab(address: string | null, packed: string): void {
  inTab.write(TAB, `${address} ${packed}`);
}

/** What this tab had open when its address was this one; a reload goes on with it. */
export function readTab(address: string | null): string | null {
  const [noted, packed] = (inTab.read(TAB) ?? "").split(" ");
  return packed && noted === `${address}` ? packed : null;
}

/** The address holds everything again. */
export function forgetTab(): void {
  inTab.write(TAB, null);
}

/**
 * What somebody made of a packed link, wherever in the run it stands and however it is looked at:
 * nothing for a ready-made experiment as it is.
 */
export function workOf(packed: string): string {
  const unpacked = unpack(packed, KEPT_LIMITS);
  if (!unpacked.ok) return "";
  try {
    const { changes, title, note, bookmarks, breakpoints, preset } = JSON.parse(unpacked.text);
    const made = [changes, title, note, bookmarks, breakpoints];
    return made.some((part) => part !== undefined) ? JSON.stringify([preset, ...made]) : "";
  } catch {
    return "";
  }
}
