// Loads the complete parts of experiments, for components that change what is inside them.

import { once } from "./once";
import partsUrl from "./pkg/parts.json?url";

/** A ready-made machine or workload, as an experiment describes it. */
interface Preset {
  readonly id: string;
  readonly [field: string]: unknown;
}

/** A published patch. */
export interface PatchOffer {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  /** Patches that it builds on. */
  readonly requires: readonly string[];
  /** Patches that cannot be combined with this one. */
  readonly excludes: readonly string[];
  /** Kernels to which the patch applies, together with the patches that it builds on. */
  readonly kernels: readonly string[];
  /** Kernels that already contain the patch. */
  readonly included_in: readonly string[];
}

/** All ready-made parts, and the patches that a kernel may have. */
export interface Presets {
  readonly machines: readonly Preset[];
  readonly workloads: readonly Preset[];
  readonly patches: readonly PatchOffer[];
}

/** The parts, from a file of the same build as the engine. */
export const loadPresets = once(fetchParts);

async function fetchParts(): Promise<Presets> {
  const response = await fetch(partsUrl);
  if (!response.ok) throw new Error(`the contents did not load (${response.status})`);
  return response.json();
}
