// The ages at which reclaim freed pages, by zone, from the log: the time from the allocation of
// each page to the decision that freed it.

import type { Rec } from "../../engine/record";

/** The records from which ages are computed. */
export const AGE_RECORDS = ["mm_page_alloc", "LadderFree"] as const;

/** Upper ends of the age classes, ns; one more class has all older pages. */
export const CLASSES_NS = [
  1e5, 1e6, 3e6, 1e7, 3e7, 1e8, 3e8, 1e9, 3e9, 1e10, 3e10, 1e11, 3e11,
] as const;

/** A zone with its range of page frames. */
export interface ZoneSpan {
  readonly key: string;
  readonly start_pfn: number;
  /** Page frames from the first to the last, including holes. */
  readonly spanned: number;
}

/** The freed pages of one zone. */
export interface ZoneAges {
  readonly key: string;
  readonly pages: number;
  /** Pages by age class, youngest first. */
  readonly classes: readonly number[];
  /** The exact median age, ns. */
  readonly median_ns: number;
}

/**
 * Follows pages through a run from its start. A page joins a list of its zone when it is allocated.
 * A page that its owner frees is allocated again before reclaim meets it again.
 */
export class Ages {
  readonly #zones: readonly ZoneSpan[];
  readonly #born = new Map<number, number>();
  readonly #ages = new Map<string, number[]>();
  /** Freed pages without a recorded allocation: none if the run is followed from its start. */
  unknown = 0;

  constructor(zones: readonly ZoneSpan[]) {
    this.#zones = zones;
  }

  /** Takes the next record. */
  take(record: Rec) {
    const { name, values, time_ns } = record;
    if (name === "mm_page_alloc" && values.pfn !== null) this.#born.set(values.pfn, time_ns);
    if (name === "LadderFree" && values.page !== null) this.#free(values.page, time_ns);
  }

  #free(pfn: number, time_ns: number) {
    const born = this.#born.get(pfn);
    const zone = this.#zones.find(
      ({ start_pfn, spanned }) => pfn >= start_pfn && pfn < start_pfn + spanned,
    );
    if (born === undefined || !zone) {
      this.unknown += 1;
      return;
    }
    this.#born.delete(pfn);
    const ages = this.#ages.get(zone.key) ?? [];
    // The clocks of CPUs differ by some microseconds.
    ages.push(Math.max(0, time_ns - born));
    this.#ages.set(zone.key, ages);
  }

  /** The first and the last class that has pages in any zone. */
  static span(zones: readonly ZoneAges[]): readonly [number, number] {
    const isAny = (i: number) => zones.some(({ classes }) => (classes[i] ?? 0) > 0);
    const all = [...CLASSES_NS.keys(), CLASSES_NS.length].filter(isAny);
    return [all[0] ?? 0, all.at(-1) ?? 0];
  }

  /** The ages so far, by zone in the machine's order, including zones without freed pages. */
  get zones(): readonly ZoneAges[] {
    return this.#zones.map(({ key }) => {
      const ages = (this.#ages.get(key) ?? []).toSorted((a, b) => a - b);
      const classes = [...CLASSES_NS, Number.POSITIVE_INFINITY].map(
        (end, i) => ages.filter((age) => age < end && age >= (CLASSES_NS[i - 1] ?? 0)).length,
      );
      return { key, pages: ages.length, classes, median_ns: ages[ages.length >> 1] ?? 0 };
    });
  }
}
