// The zoom of the page maps: the level that each node's map shows, and around which page.

import { firstFrame, type Level, nextLevel } from "../draw/map/levels";
import type { Info, NodeInfo } from "../engine/types";
import type { Key, MapZoom, WorkbenchState, WorkbenchStore } from "./store";

/** A page on a map. */
export interface MapPage {
  readonly node: number;
  readonly pfn: number;
}

/** The parts of the workbench that this module needs. */
export interface ZoomBench {
  /** Changes the setup that a link contains. */
  readonly keep: (setup: Partial<Pick<WorkbenchState, "zoom" | "selected">>) => void;
}

const MOST_SELECTED = 8;

/** Frames of a pageblock. */
export const blockPages = ({ pageblock_order }: Info): number => 2 ** pageblock_order;

/** The zoom of a node's map, or null if this machine has no such level or page. */
export function validZoom(
  info: Info,
  { ranges }: NodeInfo,
  zoom: MapZoom | undefined,
): MapZoom | null {
  if (!zoom) return null;
  if (info.teaching && zoom.level !== "page") return null;
  const block = zoom.level === "page" ? 1 : blockPages(info);
  const start = Math.floor(zoom.pfn / block) * block;
  return firstFrame(ranges, start, start + block) === null ? null : zoom;
}

/** The zoom of one workbench. */
export class Zooms {
  readonly #store: WorkbenchStore;
  readonly #bench: ZoomBench;
  /** The cursor of a map, on which the keys act. */
  #cursor: MapPage | null = null;
  /** The node zoomed last. */
  #last: number | null = null;
  /** The page that was selected because the zoom went into it. */
  #selected: Key | null = null;

  constructor(store: WorkbenchStore, bench: ZoomBench) {
    this.#store = store;
    this.#bench = bench;
  }

  /** The cursor of a map has moved, or has left the map. */
  point(place: MapPage | null) {
    this.#cursor = place;
  }

  /** The user works on a node's map, so zooming out applies to it. */
  turnTo(node: number) {
    this.#last = node;
  }

  /** Zooms in one level, at a point or at the cursor. */
  in(at: MapPage | null = this.#place()) {
    const { session } = this.#store.getState();
    if (!at || !session) return;
    const level = nextLevel(this.levelOf(at.node), 1, session.info.teaching);
    if (level) this.to(at.node, level, at.pfn);
  }

  /**
   * Zooms out one level, on a node or on the last zoomed node; returns whether there was such a
   * level.
   */
  out(node: number | null = this.#zoomedNode()): boolean {
    const { session, zoom } = this.#store.getState();
    if (node === null || !session) return false;
    const level = nextLevel(this.levelOf(node), -1, session.info.teaching);
    if (!level) return false;
    this.to(node, level, zoom[String(node)]?.pfn ?? 0);
    return true;
  }

  /** Shows the whole node again. */
  whole(node: number | null = this.#zoomedNode()) {
    if (node !== null) this.to(node, "node", 0);
  }

  /** Shows a level of a node's map, around a page. */
  to(node: number, level: Level, pfn: number) {
    const { zoom, selected } = this.#store.getState();
    const { [String(node)]: _, ...rest } = zoom;
    this.#last = node;
    if (level === "node") return this.#bench.keep({ zoom: rest });
    const next = { ...rest, [String(node)]: { level, pfn } };
    if (level !== "page") return this.#bench.keep({ zoom: next });
    // The shown page is also the selected one, in all views.
    const key: Key = `page ${pfn}`;
    if (selected.includes(key)) return this.#bench.keep({ zoom: next });
    const others = selected.filter((other) => other !== this.#selected);
    this.#selected = key;
    this.#bench.keep({ zoom: next, selected: [...others, key].slice(-MOST_SELECTED) });
  }

  /** The level a node's map shows. */
  levelOf(node: number): Level {
    const { session, zoom } = this.#store.getState();
    const there = session?.info.nodes.find(({ id }) => id === node);
    if (!session || !there) return "node";
    return validZoom(session.info, there, zoom[String(node)])?.level ?? "node";
  }

  #zoomedNode(): number | null {
    const nodes = this.#store.getState().session?.info.nodes ?? [];
    const zoomed = nodes.map(({ id }) => id).filter((id) => this.levelOf(id) !== "node");
    const wished = [this.#last, this.#cursor?.node].find(
      (id) => id !== undefined && id !== null && zoomed.includes(id),
    );
    return wished ?? zoomed[0] ?? null;
  }

  /**
   * Without a cursor: the zoomed location, otherwise the selected page, otherwise the start of
   * memory.
   */
  #place(): MapPage | null {
    if (this.#cursor) return this.#cursor;
    const { session, zoom, selected } = this.#store.getState();
    const nodes = session?.info.nodes ?? [];
    const zoomed = this.#zoomedNode();
    if (zoomed !== null) return { node: zoomed, pfn: zoom[String(zoomed)]?.pfn ?? 0 };
    for (const key of selected) {
      const pfn = key.startsWith("page ") ? Number(key.slice(5)) : Number.NaN;
      const node = nodes.find(({ ranges }) => firstFrame(ranges, pfn, pfn + 1) !== null);
      if (node) return { node: node.id, pfn };
    }
    const [first] = nodes;
    return first?.ranges[0] ? { node: first.id, pfn: first.ranges[0][0] } : null;
  }
}
