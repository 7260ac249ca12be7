// The cost of reclaim for each allocated page, from the engine's counters.

/** Counts by name, of a moment or of a range. */
type Counts = readonly (readonly [name: string, value: number])[];

/** One kind of scanning or stalling. */
export interface PerPage {
  /** "kswapd". */
  readonly who: string;
  /** Pages scanned, or ns stalled, in total. */
  readonly all: number;
  /** The same for each page allocated. */
  readonly each: number;
}

/** The costs of each allocated page. */
export interface Costs {
  /** Pages allocated: a block of order n counts as 2^n. */
  readonly pages: number;
  /** Scanned pages of inactive and active lists. */
  readonly scans: readonly PerPage[];
  /** Time that tasks spent in direct reclaim, including waits, ns. */
  readonly stalls: readonly PerPage[];
}

/** The costs computed from counters; null if nothing was allocated or nothing reclaimed. */
export function costsOf(counts: Counts): Costs | null {
  const of = (name: string) => counts.find(([other]) => other === name)?.[1] ?? 0;
  const allocs = counts.filter(([name]) => name.startsWith("pgalloc_"));
  const pages = allocs.reduce((sum, [, value]) => sum + value, 0);
  if (pages === 0) return null;
  const per = (who: string, all: number): PerPage => ({ who, all, each: all / pages });
  // The kernel counts pages scanned by zone_reclaim as scanned directly.
  const inZone = of("scan_zone_reclaim");
  const scans = [
    per("kswapd", of("pgscan_kswapd")),
    per("direct reclaim", Math.max(0, of("pgscan_direct") - inZone)),
    per("zone_reclaim", inZone),
  ];
  const stalls = [
    per("direct reclaim", of("stall_direct_ns")),
    per("zone_reclaim", of("stall_zone_reclaim_ns")),
  ];
  const isAny = [...scans, ...stalls].some(({ all }) => all > 0);
  return isAny ? { pages, scans, stalls } : null;
}

/** A number per page, with two or three figures: 12.4, 0.52, 0.003. */
export function eachWords(each: number): string {
  if (each === 0) return "0";
  if (each < 0.001) return "under 0.001";
  if (each >= 100) return Math.round(each).toLocaleString("en-GB");
  return String(Number(each.toPrecision(each >= 1 ? 3 : 2)));
}
