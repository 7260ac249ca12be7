// Where a page is now among the pages that reclaim can take, and which of two pages reclaim reaches
// first.

import { type GenLists, genPage, readGenerations } from "../draw/generations";
import { LRU_LISTS, type LruPages, lruPage, readHand, readLruPages } from "../draw/lru-lists";
import { indexOfPfn } from "../draw/map/pagemap";
import { FREE, stateOf } from "../draw/states";
import type { Frame } from "../engine/protocol";
import type { GroupView, Info, View } from "../engine/types";

/**
 * A cgroup whose usage is not above its effective protection: reclaim of the whole machine skips it,
 * in the case of `memory.low` only at first.
 */
export interface Protection {
  readonly group: string;
  readonly file: "memory.min" | "memory.low";
  readonly usage: number;
  readonly pages: number;
}

interface Listed {
  readonly owner: string;
  /** Pages before it on the same list, or of its type in the same generation. */
  readonly place: number;
  /** Index of the page's state. */
  readonly state: number;
  readonly protection: Protection | null;
}

/** A page on a classic list. */
export interface OnList extends Listed {
  readonly kind: "list";
  /** Index into {@link LRU_LISTS}. */
  readonly row: number;
  readonly isReferenced: boolean;
  readonly isFirstOut: boolean;
  readonly isReread: boolean;
}

/** A page of a generation. */
export interface InGeneration extends Listed {
  readonly kind: "generation";
  readonly seq: number;
  /** Generations that are younger. */
  readonly younger: number;
  /** Is it the oldest generation of the page's type? */
  readonly isOldest: boolean;
  readonly age_ns: number;
  /** 0: anonymous, 1: file. */
  readonly type: number;
  readonly tier: number;
}

/** A page's present place. */
export type PagePlace =
  | OnList
  | InGeneration
  | { readonly kind: "isolated"; readonly fate: number; readonly task: number }
  | { readonly kind: "free" }
  /** On no list that the engine sent; the state is null on a machine that is drawn in cells. */
  | { readonly kind: "elsewhere"; readonly state: number | null };

/** The parts of a frame in which a page is looked up. */
export type PageFrame = Pick<Frame, "view" | "lru" | "generations" | "maps">;

/** Looks up pages of one frame. */
export class PagePlaces {
  readonly #info: Pick<Info, "nodes">;
  readonly #frame: PageFrame;
  readonly #lists: readonly (readonly LruPages[])[];
  readonly #generations: readonly (readonly GenLists[])[];

  constructor(info: Pick<Info, "nodes">, frame: PageFrame) {
    this.#info = info;
    this.#frame = frame;
    this.#lists = readLruPages(frame.lru);
    this.#generations = readGenerations(frame.generations, frame.view.generations);
  }

  /** Where a page is. */
  of(pfn: number): PagePlace {
    return (
      this.#isolated(pfn) ?? this.#inGeneration(pfn) ?? this.#onList(pfn) ?? this.#elsewhere(pfn)
    );
  }

  #isolated(pfn: number): PagePlace | null {
    for (const { task, pages } of this.#frame.view.batches) {
      const held = readHand(pages).find((page) => page.pfn === pfn);
      if (held) return { kind: "isolated", fate: held.fate, task };
    }
    return null;
  }

  #inGeneration(pfn: number): InGeneration | null {
    const { view } = this.#frame;
    for (const [i, { key, generations, min_seq }] of view.generations.entries()) {
      for (const [at, types] of (this.#generations[i] ?? []).entries()) {
        const generation = generations[at];
        for (const [type, list] of types.entries()) {
          const place = placeIn(list, pfn);
          const page = place === null ? null : genPage(list, place);
          if (place === null || !page || !generation) continue;
          return {
            kind: "generation",
            owner: key,
            place,
            state: page.state,
            protection: protectionOf(view, key),
            seq: generation.seq,
            younger: generations.length - 1 - at,
            isOldest: generation.seq === min_seq[type],
            age_ns: Math.max(0, view.position.time_ns - generation.born_ns),
            type,
            tier: page.tier,
          };
        }
      }
    }
    return null;
  }

  #onList(pfn: number): OnList | null {
    const { view } = this.#frame;
    for (const [i, { key }] of view.lru.entries()) {
      for (const [row, { list }] of LRU_LISTS.entries()) {
        const pages = this.#lists[i]?.[list];
        const place = pages ? placeIn(pages, pfn) : null;
        const page = pages && place !== null ? lruPage(pages, place) : null;
        if (place === null || !page) continue;
        const protection = protectionOf(view, key);
        return { kind: "list", owner: key, row, place, protection, ...page };
      }
    }
    return null;
  }

  #elsewhere(pfn: number): PagePlace {
    for (const [i, { ranges }] of this.#info.nodes.entries()) {
      const index = indexOfPfn(ranges, pfn);
      const map = this.#frame.maps[i];
      if (index === null || map?.kind !== "frames") continue;
      const state = stateOf(map.states[index] ?? 0);
      return state === FREE ? { kind: "free" } : { kind: "elsewhere", state };
    }
    return { kind: "elsewhere", state: null };
  }
}

function placeIn(list: LruPages, pfn: number): number | null {
  for (let place = 0; place < list.sent; place += 1) {
    if (list.words[list.at + 2 * place] === pfn) return place;
  }
  return null;
}

/** The protection of the cgroup that owns some lists, if its usage is not above it. */
function protectionOf({ groups }: Pick<View, "groups">, owner: string): Protection | null {
  const [, name] = /^\d+\/(.+)$/.exec(owner) ?? [];
  const group = groups.find((each: GroupView) => each.path === name || each.name === name);
  if (!group) return null;
  const { path, usage, effective_min, effective_low } = group;
  const of = { group: path, usage };
  if (effective_min > 0 && usage <= effective_min)
    return { ...of, file: "memory.min", pages: effective_min };
  if (effective_low > 0 && usage <= effective_low)
    return { ...of, file: "memory.low", pages: effective_low };
  return null;
}

/** Why reclaim reaches one of two pages first. */
export type Decided = "isolated" | "min" | "low" | "inactive" | "tail" | "generation" | "end";

/** Why the places of two pages do not decide which one reclaim reaches first. */
export type Undecided =
  | "both-free"
  | "both-isolated"
  | "no-list"
  | "nodes"
  | "owners"
  | "worlds"
  | "types";

type Which = "a" | "b";

/** The page that reclaim reaches first; null if their places do not decide it, or if one is free. */
export type Order =
  | { readonly first: Which; readonly reason: Decided }
  | { readonly first: null; readonly reason: Undecided }
  | { readonly first: null; readonly reason: "free"; readonly free: Which };

/** Which of two pages reclaim reaches first. */
export function orderOf(a: PagePlace, b: PagePlace): Order {
  if (a.kind === "free")
    return b.kind === "free" ? undecided("both-free") : { first: null, reason: "free", free: "a" };
  if (b.kind === "free") return { first: null, reason: "free", free: "b" };
  if (a.kind === "isolated")
    return b.kind === "isolated" ? undecided("both-isolated") : { first: "a", reason: "isolated" };
  if (b.kind === "isolated") return { first: "b", reason: "isolated" };
  if (a.kind === "elsewhere" || b.kind === "elsewhere") return undecided("no-list");
  if (a.owner !== b.owner) return orderOfOwners(a, b);
  if (a.kind === "list" && b.kind === "list") return orderOnLists(a, b);
  if (a.kind === "generation" && b.kind === "generation") return orderInGenerations(a, b);
  return undecided("worlds");
}

const undecided = (reason: Undecided): Order => ({ first: null, reason });

const nodeOf = ({ owner }: Listed) => owner.split("/")[0];

/** Each node is reclaimed on its own: protection decides only between cgroups of one node. */
function orderOfOwners(a: Listed, b: Listed): Order {
  if (nodeOf(a) !== nodeOf(b)) return undecided("nodes");
  const spared = a.protection ?? b.protection;
  if (!spared || (a.protection && b.protection)) return undecided("owners");
  const reason = spared.file === "memory.min" ? "min" : "low";
  return { first: a.protection ? "b" : "a", reason };
}

/** Is the list a list of active pages? */
export const isActive = ({ row }: Pick<OnList, "row">) => (LRU_LISTS[row]?.list ?? 0) % 2 === 1;
const isFile = ({ row }: OnList) => (LRU_LISTS[row]?.list ?? 0) >= 2;

function orderOnLists(a: OnList, b: OnList): Order {
  if (isFile(a) !== isFile(b)) return undecided("types");
  if (isActive(a) !== isActive(b)) return { first: isActive(a) ? "b" : "a", reason: "inactive" };
  return { first: a.place < b.place ? "a" : "b", reason: "tail" };
}

function orderInGenerations(a: InGeneration, b: InGeneration): Order {
  if (a.type !== b.type) return undecided("types");
  if (a.seq !== b.seq) return { first: a.seq < b.seq ? "a" : "b", reason: "generation" };
  return { first: a.place < b.place ? "a" : "b", reason: "end" };
}
