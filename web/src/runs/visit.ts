// The state that the reports of one visit share: results, where they are stored, interrupted runs,
// and the speed of this computer. The engine does not change during a visit.

import type { StoredImage } from "../engine/image";
import type { Size } from "../lessons/publications";
import type { Result } from "./results";

/**
 * The number of runs that are used, because a single run may have competed with other work of the
 * browser.
 */
const MEASURED_RUNS = 5;

/** The results and measurements of one visit. */
export class Visit {
  /** Results by experiment and kernel. */
  readonly results = new Map<string, Result>();
  /** The results that were found in the browser's storage. */
  readonly stored = new Set<string>();
  /** Experiments whose results the browser did not store. */
  readonly refused = new Set<string>();
  /** The saved states of runs in this browser. */
  images: readonly StoredImage[] = [];
  /** Points a second of the last runs that were long enough to measure, by size, newest first. */
  readonly #speeds: Record<Size, readonly number[]> = { teach: [], full: [] };

  /** Adds the speed of a run, points a second. */
  addSpeed(size: Size, speed: number) {
    this.#speeds[size] = [speed, ...this.#speeds[size]].slice(0, MEASURED_RUNS);
  }

  /**
   * Points a second that this computer has reached, if possible at this size; null before any run.
   */
  speed(size: Size): number | null {
    const own = this.#speeds[size];
    const speeds = own.length > 0 ? own : Object.values(this.#speeds).flat();
    return speeds.toSorted((a, b) => a - b)[Math.floor(speeds.length / 2)] ?? null;
  }
}

/** The visit of this page. */
export const thisVisit = new Visit();
