// The resources of this machine for parallel runs, as far as the browser reports them.

import { inTab } from "../stored";

/** The resources of a machine for runs. */
export interface Resources {
  /** CPUs that a page may use; fewer than one count as one. */
  readonly cores: number;
  /** Memory of the whole machine, GiB, as coarse as the browser reports it; null if it does not. */
  readonly memory_gib: number | null;
  /** Whether the browser has already ended this page because of parallel runs. */
  readonly isNarrow: boolean;
}

/** The part of a machine's memory that all runs together may use. */
const PART_OF_MEMORY = 1 / 6;
/** The assumed memory if the browser does not report it, GiB. */
const USUAL_GIB = 8;

/** How many runs go in parallel, if each needs this much memory. */
export function widthFor(runs: number, each_mib: number, resources: Resources): number {
  if (resources.isNarrow) return 1;
  const fitting = ((resources.memory_gib ?? USUAL_GIB) * 1024 * PART_OF_MEMORY) / each_mib;
  return Math.max(1, Math.floor(Math.min(runs, resources.cores, fitting)));
}

/** The resources of this machine. */
export function resourcesHere(): Resources {
  const { hardwareConcurrency: cores = 1, deviceMemory: memory_gib = null } =
    (globalThis.navigator ?? {}) as Partial<Navigator> & { readonly deviceMemory?: number };
  return { cores, memory_gib, isNarrow: hasFallen };
}

/** A key in the tab's storage that exists while parallel runs are going on. */
const MARK = "mmscope.side-by-side";

/**
 * A page that the user leaves removes its mark. A page that the browser ended because of its memory
 * use cannot.
 */
const hasFallen = inTab.read(MARK) !== null;

/**
 * Marks that parallel runs are going on, until the returned function is called or the page is left.
 */
export function markParallel(): () => void {
  const unmark = () => {
    globalThis.removeEventListener?.("pagehide", unmark);
    inTab.write(MARK, null);
  };
  inTab.write(MARK, "1");
  globalThis.addEventListener?.("pagehide", unmark);
  return unmark;
}
