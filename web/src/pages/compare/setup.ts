// Sets up the two machines: from an address, from the user's choice, or one of them as a copy under
// another kernel.

import type { Workbench } from "../../app/controller";
import { FIRST_SCENARIO } from "../../app/controller";
import { readAlignment } from "../../app/pair/alignment";
import type { Pair, PairMoment, Side, SideSteps } from "../../app/pair/pair";
import { retitled } from "../../app/retitled";
import type { Catalog, Refusal } from "../../engine/types";
import { readDraft } from "../../link/draft";
import { bareLink, type Link, openLink, type Presets } from "../../link/link";
import { type CompareAddress, readFragment } from "../../link/router";

/** The engine's texts, once it is ready. */
export interface Known {
  readonly catalog: Catalog;
  readonly presets: Presets;
}

/** The texts of a workbench; null until its engine is ready. */
export function knownTo({ store }: Workbench): Known | null {
  const { engine } = store.getState();
  return engine.kind === "ready" ? engine : null;
}

/** Opens both machines of an address. Each side that does not open shows why. */
export async function openAddress(pair: Pair, known: Known, address: CompareAddress) {
  const { a, b, by } = address;
  const isOpen = await openSide(
    pair,
    "a",
    a === null ? firstLink(known) : linkFrom(a, known.presets),
  );
  if (b !== null) await openSide(pair, "b", linkFrom(b, known.presets));
  else if (isOpen) await openOther(pair, known);
  const [from, to] = [readSteps(address.from), readSteps(address.to)];
  if (from || to) await pair.setEnds({ from, to });
  pair.align(readAlignment(by));
}

/** Opens what the user chose for one side. The first machine B is A under another kernel. */
export async function openChosen(
  pair: Pair,
  known: Known,
  side: Side,
  link: Link | Refusal,
): Promise<readonly Refusal[]> {
  const refusals = "experiment" in link ? await pair.open(side, link) : [link];
  if (refusals.length > 0) return refusals;
  const { faults } = pair.store.getState();
  const hasB = pair.b.store.getState().session !== null;
  if (side === "a" && !hasB && faults.b.length === 0) await openOther(pair, known);
  pair.realign();
  return [];
}

/** Opens one side, or shows why it does not open. */
async function openSide(pair: Pair, side: Side, link: Link | Refusal): Promise<boolean> {
  const refusals = "experiment" in link ? await pair.open(side, link) : [link];
  pair.setFault(side, refusals);
  return refusals.length === 0;
}

/** Opens A's experiment as B, under the next kernel that can run it. */
async function openOther(pair: Pair, { catalog, presets }: Known): Promise<void> {
  const json = pair.a.store.getState().session?.experiment;
  if (json === undefined) return;
  let refusals: readonly Refusal[] = [];
  for (const kernel of kernelsAfter(catalog, json)) {
    refusals = await pair.open("b", bareLink(withChange(json, { kernel }, presets)));
    if (refusals.length === 0) return;
  }
  pair.setFault("b", refusals);
}

/** The steps of an end of the range in an address; null if there are none. */
function readSteps(text: string | null | undefined): SideSteps | null {
  const [, a, b] = /^(\d{1,15})\.(\d{1,15})$/.exec(text ?? "") ?? [];
  return a === undefined || b === undefined ? null : { a: Number(a), b: Number(b) };
}

/** The form of an end of the range in an address; null for the usual end. */
export const writeSteps = (moment: PairMoment | null): string | null =>
  moment && `${moment.a.position.step}.${moment.b.position.step}`;

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

/** The link of a packed text, or the reason why it is invalid. */
export function linkFrom(packed: string, presets: Presets): Link | Refusal {
  const opened = openLink(packed, presets);
  return opened.ok ? opened.link : { path: "", reason: opened.detail };
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
