// Where a page is now among the pages that reclaim can take, and which of two pages reclaim reaches
// first.

import { type GenLists, genPage, readGenerations } from "../draw/generations";
import { LRU_LISTS, type LruPages, lruPage, readHand, readLruPages } from "../draw/lru-lists";
import { indexOfPfn } from "../draw/map/pagemap";
import { FREE, stateOf } from "../draw/states";
import type { Frame } from "../engine/protocol";
import type { GroupView, Info, View } from "../engine/types";

/** A cgroup whose usage is not above its effective protection: reclaim skips it at first. */
export interface Protection {
  readonly group: string;
  readonly file: "memory.min" | "memory.low";
  readonly usage: number;
  readonly pages: number;
}

interface Listed {
  readonly owner: string;
  /** Pages that reclaim reaches earlier on the same list. */
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
    for (const [i, { key, generations }] of view.generations.entries()) {
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
            isOldest: at === 0,
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

/** Why reclaim reaches one of two pages first, or why their places do not decide it. */
export type Reason =
  | "free"
  | "isolated"
  | "no-list"
  | "protection"
  | "owners"
  | "worlds"
  | "types"
  | "inactive"
  | "tail"
  | "generation"
  | "end";

/** The page that reclaim reaches first; null if their places do not decide it. */
export interface Order {
  readonly first: "a" | "b" | null;
  readonly reason: Reason;
}

/** Which of two pages reclaim reaches first. */
export function orderOf(a: PagePlace, b: PagePlace): Order {
  for (const kind of ["free", "isolated"] as const) {
    if (a.kind === kind || b.kind === kind) {
      return { first: a.kind === b.kind ? null : a.kind === kind ? "a" : "b", reason: kind };
    }
  }
  if (a.kind === "elsewhere" || b.kind === "elsewhere" || a.kind === "free" || b.kind === "free")
    return { first: null, reason: "no-list" };
  if (a.kind === "isolated" || b.kind === "isolated") return { first: null, reason: "isolated" };
  if (a.owner !== b.owner) {
    if ((a.protection === null) === (b.protection === null))
      return { first: null, reason: "owners" };
    return { first: a.protection === null ? "a" : "b", reason: "protection" };
  }
  if (a.kind === "list" && b.kind === "list") return orderOnLists(a, b);
  if (a.kind === "generation" && b.kind === "generation") return orderInGenerations(a, b);
  return { first: null, reason: "worlds" };
}

const isFile = ({ row }: OnList) => (LRU_LISTS[row]?.list ?? 0) >= 2;
const isActive = ({ row }: OnList) => (LRU_LISTS[row]?.list ?? 0) % 2 === 1;

function orderOnLists(a: OnList, b: OnList): Order {
  if (isFile(a) !== isFile(b)) return { first: null, reason: "types" };
  if (isActive(a) !== isActive(b)) return { first: isActive(a) ? "b" : "a", reason: "inactive" };
  return { first: a.place < b.place ? "a" : "b", reason: "tail" };
}

function orderInGenerations(a: InGeneration, b: InGeneration): Order {
  if (a.type !== b.type) return { first: null, reason: "types" };
  if (a.seq !== b.seq) return { first: a.seq < b.seq ? "a" : "b", reason: "generation" };
  return { first: a.place < b.place ? "a" : "b", reason: "end" };
}
