// How old pages were when reclaim freed them, zone by zone, from the log: each page's way from the
// allocation that brought it to the decision that freed it.

import type { Rec } from "../../engine/record";

/** The records ages are made from. */
export const AGE_RECORDS = ["mm_page_alloc", "LadderFree"] as const;

/** Upper ends of the classes of age, ns; what is older is in a class of its own. */
export const CLASSES_NS = [
  1e5, 1e6, 3e6, 1e7, 3e7, 1e8, 3e8, 1e9, 3e9, 1e10, 3e10, 1e11, 3e11,
] as const;

/** A zone by its page frames. */
export interface ZoneSpan {
  readonly key: string;
  readonly start_pfn: number;
  /** Page frames from the first to the last, holes included. */
  readonly spanned: number;
}

/** The freed pages of one zone. */
export interface ZoneAges {
  readonly key: string;
  readonly pages: number;
  /** Pages by class of age, the youngest first. */
  readonly classes: readonly number[];
  /** The age half of them had not reached, ns: exact. */
  readonly median_ns: number;
}

/**
 * Follows pages through a run from its start. A page joins a list of its zone in the same breath as
 * it is allocated, and what is freed by its owner is allocated anew before it is seen again.
 */
export class Ages {
  readonly #zones: readonly ZoneSpan[];
  readonly #born = new Map<number, number>();
  readonly #ages = new Map<string, number[]>();
  /** Pages freed that nobody was seen to allocate: none in a run followed from its start. */
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
    // CPUs are some microseconds apart.
    ages.push(Math.max(0, time_ns - born));
    this.#ages.set(zone.key, ages);
  }

  /** The first and the last class in which any zone has pages. */
  static span(zones: readonly ZoneAges[]): readonly [number, number] {
    const isAny = (i: number) => zones.some(({ classes }) => (classes[i] ?? 0) > 0);
    const all = [...CLASSES_NS.keys(), CLASSES_NS.length].filter(isAny);
    return [all[0] ?? 0, all.at(-1) ?? 0];
  }

  /** What has come together, by zone in the machine's order; zones of which none was freed too. */
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
