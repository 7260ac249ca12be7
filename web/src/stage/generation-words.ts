// Texts about the generations of the multi-generational LRU.

import { count, counted, duration, hex } from "../engine/format";

/** "tier 1: 14, tier 3: 2"; empty if all pages are in tier 0. */
function higherTiers(tiers: readonly number[]): string {
  const higher = tiers.flatMap((pages, tier) =>
    tier > 0 && pages > 0 ? [`tier ${tier}: ${count(pages)}`] : [],
  );
  return higher.join(", ");
}

/** The same in one figure: "tier 2: 1", "tiers 1 to 3: 40". */
function someTiers(tiers: readonly number[]): string {
  const used = tiers.flatMap((pages, tier) => (tier > 0 && pages > 0 ? [tier] : []));
  const [first, last] = [used[0], used.at(-1)];
  if (first === undefined || first === last) return higherTiers(tiers);
  const pages = used.reduce((sum, tier) => sum + (tiers[tier] ?? 0), 0);
  return `tiers ${first} to ${last}: ${count(pages)}`;
}

interface Refaulted {
  readonly refaulted: number;
  readonly total: number;
}

/** `Generations.tsx`: The generations of a node as columns by age. */
export const GENERATIONS = {
  title: "Generations",
  of: (owner: string) => `Generations of ${owner}`,
  pagesOf: (owner: string) => `Pages of the generations of ${owner}, youngest first`,
  oldestAtRight: "youngest generation at left, eviction at right",
  isolated: "isolated",
  notCounted: (counted: number) =>
    `nr_isolated stays ${count(counted)}: this LRU does not count isolated pages`,
  youngest: "youngest",
  oldest: "oldest",
  age: (age_ns: number) => duration(Math.max(0, age_ns)),
  headTitle: (seq: number, words: string, age_ns: number) =>
    `Generation ${count(seq)}${words && `, the ${words}`}, opened ${duration(Math.max(0, age_ns))} ago`,
  opensNext: (seq: number) => `${count(seq)} opens next`,
  someTiers,
  tiersHelp:
    "Pages that were read or written through files since they joined this generation, by tier; all others are in tier 0",
  noGenerationHere: "No generation here",
  noIsolatedPageHere: "No isolated page here",
  isolatedPageOf: (pfn: number, value: number, taken: number, words: string) =>
    `${hex(pfn)}, isolated page ${count(value)} of ${count(taken)}: ${words}`,
  cell: (type: string, seq: number, words: string) =>
    `${type} pages of generation ${count(seq)}${words && `, the ${words}`}`,
  cellPages: (cell: string, pages: number, tiers: readonly number[]) => {
    const higher = higherTiers(tiers);
    return `${cell}: ${count(pages)}${higher && `, of which ${higher}`}`;
  },
  page: (pfn: number, place: number, cell: string, state: string, tier: number) => {
    const where = place === 0 ? "next to be evicted" : `${count(place)} from eviction`;
    return `${hex(pfn)}, ${where} among ${cell}: ${state}, tier ${tier}`;
  },
  usedPagesMove:
    "Used pages move to the youngest generation. Reclaim takes the oldest, never the two youngest.",
  walking: (scanned: number, young: number) =>
    `reads page tables of <process/>: <b>${count(young)}</b> of ${counted(scanned, "entry", "entries")} used`,
  refaults: (file: Refaulted, anon: Refaulted) =>
    `Refaults per eviction: file ${count(file.refaulted)} of ${count(file.total)}, anon ${count(anon.refaulted)} of ${count(anon.total)}`,
  refaultsHelp:
    "Pages in tier 0 that were needed again after eviction. The kernel compares both rates, weighted by swappiness, and evicts the type with the lower one.",
} as const;
