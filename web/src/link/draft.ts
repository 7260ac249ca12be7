// The draft: the user's last work, stored in the browser, and the drafts that it replaced. If
// storage is denied or full, the page continues to work and reports the problem.

import { inBrowser, inTab, type Stored } from "../stored";
import { KEPT_LIMITS, unpack } from "./codec";

const DRAFT = "mmscope.draft";
const ASIDE = "mmscope.aside";
const TAB = "mmscope.tab";
/** The maximum number of replaced drafts that wait for the library to import them. */
const MOST_ASIDE = 10;

/** A draft that was replaced. */
export interface Aside {
  readonly packed: string;
  /** When it was replaced, ms since 1970. */
  readonly at_ms: number;
}

/** Reads the draft as a packed link. */
export function readDraft(): string | null {
  return inBrowser.read(DRAFT);
}

/** Stores a packed link as the draft. */
export function keepDraft(packed: string): Stored {
  return inBrowser.write(DRAFT, packed);
}

/**
 * Backs up a draft synchronously, so that it survives if the page closes now. The library imports
 * the draft the next time it opens. The same work at another moment replaces the earlier entry.
 */
export function putAside(packed: string, at_ms: number): Stored {
  const work = workOf(packed);
  const others = readAside().filter(
    (other) => other.packed !== packed && (work === "" || workOf(other.packed) !== work),
  );
  return writeAside([...others, { packed, at_ms }].slice(-MOST_ASIDE));
}

/** The drafts that wait for the library, newest last; only this file writes them. */
export function readAside(): readonly Aside[] {
  try {
    return JSON.parse(inBrowser.read(ASIDE) ?? "[]");
  } catch {
    return [];
  }
}

/** Stores exactly these drafts for the library. */
export const writeAside = (list: readonly Aside[]): Stored =>
  inBrowser.write(ASIDE, JSON.stringify(list));

/** Stores the open moment of this tab if the address cannot hold it. */
export function keepInTab(address: string | null, packed: string): void {
  inTab.write(TAB, `${address} ${packed}`);
}

/** The moment that this tab had open at this address; a reload continues with it. */
export function readTab(address: string | null): string | null {
  const [noted, packed] = (inTab.read(TAB) ?? "").split(" ");
  return packed && noted === `${address}` ? packed : null;
}

/** Deletes the moment stored for the tab, because the address contains everything again. */
export function forgetTab(): void {
  inTab.write(TAB, null);
}

/**
 * A packed link without its position and display settings: the user's work. Empty for an unchanged
 * ready-made experiment.
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
