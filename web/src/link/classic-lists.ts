// Experiments from before the multi-generational LRU. Kernel 6.12 ran with the classic LRU lists then;
// now it boots with the multi-generational LRU unless a tunable says otherwise.

import type { Json } from "./difference";

/** The tunable that switches between the lists. */
const LISTS = "lru_gen.enabled";
/** The kernel that has changed its default. */
const CHANGED = "6.12";
/** The kernels that have the tunable. */
const HAVE_LISTS: readonly unknown[] = ["6.1", CHANGED];

type Fields = { [key: string]: Json };

/** Adds the tunable of the classic lists to an old experiment on 6.12 that names no lists. */
export function withClassicLists(experiment: Fields): Fields {
  const { kernel, machine, tunables } = experiment;
  const isNamed = [experiment, machine].some((part) => namesLists(part));
  if (kernel !== CHANGED || isNamed || (tunables !== undefined && !isFields(tunables))) {
    return experiment;
  }
  return { ...experiment, tunables: { ...tunables, [LISTS]: "0" } };
}

/**
 * Adds the tunable of the classic lists to an old sweep on 6.12 that names no lists. A sweep that also has
 * kernels without this tunable stays as it is.
 */
export function sweepWithClassicLists(sweep: Fields): Fields {
  const { experiment, axes = {} } = sweep;
  if (!isFields(axes)) return sweep;
  const path = `tunables.${LISTS}`;
  const own = isFields(experiment) ? experiment.kernel : undefined;
  const kernels = Array.isArray(axes.kernel) ? axes.kernel : [own];
  const isNamed = path in axes || namesLists(experiment);
  const takesTunable = kernels.every((kernel) => HAVE_LISTS.includes(kernel));
  if (!kernels.includes(CHANGED) || isNamed || !takesTunable) return sweep;
  return { ...sweep, axes: { ...axes, [path]: [0] } };
}

const isFields = (value: Json | undefined): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const namesLists = (value: Json | undefined): boolean =>
  isFields(value) && isFields(value.tunables) && LISTS in value.tunables;
