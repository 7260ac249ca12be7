// The place of a page among the generations, in words.

import { count, counted } from "../engine/format";
import type { GenerationsView } from "../engine/types";
import { GEN_TYPES, type GenLists, genPage } from "./generations";
import { ownerWords } from "./reclaim";

/** The place of a page among the generations of a node. */
export interface GenerationPlace {
  /** Key of the owner. */
  readonly key: string;
  readonly seq: number;
  /** How many generations are younger. */
  readonly younger: number;
  /** Is it the oldest generation of the page's type? */
  readonly isOldest: boolean;
  /** "file" or "anon". */
  readonly type: string;
  readonly tier: number;
  /** Pages of its type in its generation, and how many of them are evicted before it. */
  readonly pages: number;
  readonly before: number;
}

/** Finds a page among the pages that were sent of each generation. */
export function placeOfPage(
  owner: GenerationsView,
  lists: readonly GenLists[],
  pfn: number,
): GenerationPlace | null {
  for (const [at, generation] of owner.generations.entries()) {
    for (const { type, words } of GEN_TYPES) {
      const list = lists[at]?.[type];
      for (let before = 0; list && before < list.sent; before += 1) {
        const page = genPage(list, before);
        if (page?.pfn !== pfn) continue;
        return {
          key: owner.key,
          seq: generation.seq,
          younger: owner.max_seq - generation.seq,
          isOldest: generation.seq === owner.min_seq[type],
          type: words,
          tier: page.tier,
          pages: generation.pages[type] ?? 0,
          before,
        };
      }
    }
  }
  return null;
}

/** "generation 7 of node 0, the youngest: file, tier 1, 3 of 120 pages are evicted before it". */
export function generationLine(place: GenerationPlace): string {
  const age = place.younger === 0 ? ", the youngest" : place.isOldest ? ", the oldest" : "";
  const rest = `reclaim evicts ${count(place.before)} of its ${counted(place.pages, `${place.type} page`)} before this one`;
  return `generation ${count(place.seq)} of ${ownerWords(place.key)}${age}, tier ${place.tier}; ${rest}`;
}

/** What comes next for a page of a generation. */
export function generationNext({ younger, isOldest, tier }: GenerationPlace): string {
  const used = "if the kernel finds that it was used, it moves to the youngest generation";
  if (younger < 2) {
    const more = 2 - younger;
    const opened = more === 1 ? "one more generation opens" : "two more generations open";
    return `reclaim does not take it until ${opened}; ${used}`;
  }
  if (!isOldest) return `reclaim takes it once the older generations are empty; ${used}`;
  if (tier > 0) {
    return `reclaim takes it next, or keeps it for one more generation if tier ${tier} refaults more often than tier 0; ${used}`;
  }
  return `reclaim takes it next; ${used}`;
}
