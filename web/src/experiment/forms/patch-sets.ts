// Sets of patches: what else changes when the user switches one patch on or off.

import type { PatchOffer } from "../../engine/load-parts";

/** The kernel, and the patches that are on. */
interface PatchSet {
  readonly patches: readonly PatchOffer[];
  /** The kernel that the patches apply to; null if it is not known. */
  readonly kernel: string | null;
  /** Ids of the patches that are on. */
  readonly chosen: readonly string[];
}

/** A set of patches after a switch, and the other patches that changed with it. */
export interface Switched {
  readonly chosen: readonly string[];
  /** Patches that were also switched on, because the patch builds on them. */
  readonly added: readonly string[];
  /**
   * Patches that were also switched off, because they build on the patch or cannot be combined with
   * it.
   */
  readonly removed: readonly string[];
}

/** Missing prerequisites of a patch, direct and indirect. */
function missingBelow({ patches, kernel, chosen }: PatchSet, id: string): string[] {
  const found: string[] = [];
  const look = (one: string) => {
    const patch = patches.find((other) => other.id === one);
    for (const required of patch?.requires ?? []) {
      const below = patches.find((other) => other.id === required);
      const isInKernel = kernel !== null && below?.included_in.includes(kernel);
      if (isInKernel || chosen.includes(required) || found.includes(required)) continue;
      found.push(required);
      look(required);
    }
  };
  look(id);
  return found;
}

/** Patches that are on and require one of these, directly or indirectly. */
function aboveAny({ patches, chosen }: PatchSet, ids: readonly string[]): string[] {
  const off = new Set(ids);
  for (;;) {
    const next = chosen.find(
      (id) =>
        !off.has(id) &&
        patches.find((patch) => patch.id === id)?.requires.some((below) => off.has(below)),
    );
    if (next === undefined) return chosen.filter((id) => off.has(id) && !ids.includes(id));
    off.add(next);
  }
}

/** Can two patches not be combined? */
function excludes(patches: readonly PatchOffer[], a: string, b: string): boolean {
  const of = (id: string) => patches.find((patch) => patch.id === id)?.excludes ?? [];
  return of(a).includes(b) || of(b).includes(a);
}

/**
 * Switches a patch on, with all of its prerequisites, or off, with all patches that build on it.
 */
export function switchPatch(set: PatchSet, id: string): Switched {
  const { patches, chosen } = set;
  if (chosen.includes(id)) {
    const removed = aboveAny(set, [id]);
    const off = new Set([id, ...removed]);
    return { chosen: chosen.filter((one) => !off.has(one)), added: [], removed };
  }
  const added = missingBelow(set, id);
  const on = [...added, id];
  const against = chosen.filter((one) => on.some((other) => excludes(patches, one, other)));
  const removed = [...against, ...aboveAny(set, against)].filter((one) => !on.includes(one));
  const kept = chosen.filter((one) => !removed.includes(one));
  return { chosen: [...kept, ...on], added, removed };
}

/**
 * The patches that apply to a kernel, and all others. Patches that are on are always in the first
 * group.
 */
export function patchesFor({ patches, kernel, chosen }: PatchSet): {
  readonly fitting: readonly PatchOffer[];
  readonly others: readonly PatchOffer[];
} {
  const fits = ({ id, kernels }: PatchOffer) =>
    kernel === null || kernels.includes(kernel) || chosen.includes(id);
  return {
    fitting: patches.filter(fits),
    others: patches.filter((patch) => !fits(patch)),
  };
}
