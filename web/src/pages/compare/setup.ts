// What the two machines are: from an address, from a choice, or from one of them under another
// kernel.

import type { Workbench } from "../../app/controller";
import { FIRST_SCENARIO } from "../../app/controller";
import { readAlignment } from "../../app/pair/alignment";
import type { Pair, Side } from "../../app/pair/pair";
import { retitled } from "../../app/retitled";
import type { Catalog, Refusal } from "../../engine/types";
import { readDraft } from "../../link/draft";
import { bareLink, type Link, openLink, type Presets } from "../../link/link";
import { type CompareAddress, readFragment } from "../../link/router";

/** Why a side did not open. */
export interface Fault {
  readonly side: Side;
  readonly refusals: readonly Refusal[];
}

/** The engine's texts, once it is ready. */
export interface Known {
  readonly catalog: Catalog;
  readonly presets: Presets;
}

/** What a workbench knows; null until its engine is ready. */
export function knownTo({ store }: Workbench): Known | null {
  const { engine } = store.getState();
  return engine.kind === "ready" ? engine : null;
}

/** Opens both machines of an address; returns why one of them did not open. */
export async function openAddress(
  pair: Pair,
  known: Known,
  { a, b, by }: CompareAddress,
): Promise<Fault | null> {
  const first = a === null ? firstLink(known) : linkFrom(a, known.presets);
  if (!("experiment" in first)) return { side: "a", refusals: [first] };
  const refusals = await pair.open("a", first);
  if (refusals.length > 0) return { side: "a", refusals };
  const fault = b === null ? await openOther(pair, known) : await openSecond(pair, known, b);
  if (fault) return fault;
  pair.align(readAlignment(by));
  return null;
}

async function openSecond(pair: Pair, { presets }: Known, packed: string): Promise<Fault | null> {
  const second = linkFrom(packed, presets);
  if (!("experiment" in second)) return { side: "b", refusals: [second] };
  const refusals = await pair.open("b", second);
  return refusals.length > 0 ? { side: "b", refusals } : null;
}

/** Opens as B what A runs, under the next kernel that can run it. */
async function openOther(pair: Pair, { catalog, presets }: Known): Promise<Fault | null> {
  const json = pair.a.store.getState().session?.experiment;
  if (json === undefined) return null;
  let refusals: readonly Refusal[] = [];
  for (const kernel of kernelsAfter(catalog, json)) {
    refusals = await pair.open("b", bareLink(withChange(json, { kernel }, presets)));
    if (refusals.length === 0) return null;
  }
  return { side: "b", refusals };
}

/** The other kernels, beginning with the one after the experiment's own. */
function kernelsAfter({ kernels }: Catalog, json: string): string[] {
  const { kernel } = JSON.parse(json) as { readonly kernel?: string };
  const ids = kernels.map(({ id }) => id);
  const at = ids.indexOf(kernel ?? "");
  return [...ids.slice(at + 1), ...ids.slice(0, Math.max(0, at))];
}

/** An experiment with some fields replaced, under a correct title. */
export function withChange(
  json: string,
  change: Readonly<Record<string, unknown>>,
  presets: Presets,
): string {
  const before: Record<string, unknown> = JSON.parse(json);
  const after = { ...before, id: "", ...change };
  return JSON.stringify(retitled(before, after, presets));
}

/** The user's draft, or the first scenario if there is none. */
function firstLink({ presets }: Known): Link | Refusal {
  const draft = readDraft();
  const opened = draft === null ? null : openLink(draft, presets);
  if (opened?.ok) return opened.link;
  return bareLink(presets[FIRST_SCENARIO] ?? "{}");
}

/** The link of a packed text, or why it has none. */
export function linkFrom(packed: string, presets: Presets): Link | Refusal {
  const opened = openLink(packed, presets);
  return opened.ok ? opened.link : { path: opened.path ?? "", reason: opened.detail };
}

/** The packed link in a pasted address; null if it has none. */
export function packedIn(text: string): string | null {
  const at = text.indexOf("#");
  if (at < 0) return null;
  const address = readFragment(text.slice(at).trim());
  if (address.page === "workbench") return address.x;
  return address.page === "compare" ? address.a : null;
}

/** The ready-made experiment that a pasted address names; null if it names none. */
export function presetIn(text: string, presets: Presets): string | null {
  const at = text.indexOf("#");
  const address = at < 0 ? null : readFragment(text.slice(at).trim());
  const preset = address?.page === "workbench" ? address.preset : null;
  return preset && Object.hasOwn(presets, preset) ? (presets[preset] ?? null) : null;
}
