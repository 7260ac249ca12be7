import { type KeyboardEvent, type RefObject, useLayoutEffect, useMemo, useRef } from "react";
import { useWorkbench, useWorkbenchState } from "../../app/context";
import { placeOfPage } from "../../draw/generation-place";
import { readGenerations } from "../../draw/generations";
import { readLruPages } from "../../draw/lru-lists";
import { firstFrame, type Port } from "../../draw/map/levels";
import { type ListOwner, pageStory } from "../../draw/map/pagestory";
import { flagsOf, isThere, wordState } from "../../draw/map/pageword";
import { GLYPH_TILE_PX, rowLayout } from "../../draw/map/zoom";
import { paintBlock } from "../../draw/map/zoompaint";
import { STATES, stateWords } from "../../draw/states";
import type { Zoomed } from "../../engine/protocol";
import { Canvas } from "../../ui/Canvas";
import { Swatch } from "../../ui/swatch";
import { usePalette } from "../../ui/theme";
import { Ring } from "./MapMarks";
import type { MapProps } from "./scene";
import { PAGE_CARD } from "./words";
import { typeWords, zoneAt } from "./zoom-words";

const TILE_PX = 44;
/** The words come first; in a low box they need all the space. */
const ROOM_FOR_AROUND_PX = 176;

/** One page in words: its state, its place, what comes next, and actions. */
export default function PageCard({
  info,
  node,
  view,
  zoomed,
  pfn,
  room,
}: MapProps & { zoomed: Zoomed; pfn: number; room: Port }) {
  const card = useRef<HTMLElement>(null);
  useArrival(card);
  const workbench = useWorkbench();
  const owner = useOwner(node.id, zoneAt(view.zones, node.id, pfn)?.key);
  const generation = useGeneration(node.id, pfn);
  const word = zoomed.words[pfn - zoomed.first_pfn] ?? 0;
  const token = STATES[wordState(word)]?.token ?? "reserved";
  const story = pageStory({
    words: zoomed.words,
    first_pfn: zoomed.first_pfn,
    pfn,
    page_bytes: info.page_size,
    owner,
    generation,
    type: typeWords(info, word),
  });
  const turn = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const next = pfn + (by ?? 0);
    if (!by) return;
    event.preventDefault();
    if (firstFrame(node.ranges, next, next + 1) !== null) workbench.zooms.to(node.id, "page", next);
  };
  const flags = flagsOf(word);
  return (
    <section
      ref={card}
      className="page-card"
      aria-label={PAGE_CARD.page(pfn, stateWords(wordState(word)))}
      tabIndex={-1}
      onKeyDown={turn}
    >
      <div className="page-acts">
        <Swatch token={isThere(word) ? token : "reserved"} size_px={TILE_PX} />
        <Acts pfn={pfn} />
      </div>
      <dl>
        {story.map(([about, says]) => (
          <div key={about}>
            <dt>{about}</dt>
            <dd>{says}</dd>
          </div>
        ))}
        {flags.length > 0 && (
          <div>
            <dt>{PAGE_CARD.flags}</dt>
            <dd className="flags">{flags.join(" ")}</dd>
          </div>
        )}
      </dl>
      {room.height >= ROOM_FOR_AROUND_PX && (
        <Around words={zoomed.words} at={pfn - zoomed.first_pfn} width={room.width - 4} />
      )}
    </section>
  );
}

/** The pages before and after it, as tiles. */
function Around({ words, at, width }: { words: Uint32Array; at: number; width: number }) {
  const palette = usePalette();
  const columns = Math.min(words.length, Math.floor(width / GLYPH_TILE_PX));
  const first = Math.max(0, Math.min(at - (columns >> 1), words.length - columns));
  const near = words.subarray(first, first + columns);
  const layout = rowLayout(columns, GLYPH_TILE_PX);
  const port = { x: 0, y: 0, width: layout.width, height: layout.height };
  return (
    <div className="around">
      <Canvas {...port} draw={(g) => paintBlock(g, layout, near, port, palette)} />
      <svg className="overlay" aria-hidden="true">
        <Ring layout={layout} from={at - first} tiles={1} look="select" />
      </svg>
    </div>
  );
}

/** If the user arrived by keyboard, the card receives the focus. */
function useArrival(card: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const isLost = document.activeElement === document.body || document.activeElement === null;
    if (isLost) card.current?.focus({ preventScroll: true });
  }, [card]);
}

/** The owner of the lists of a zone's pages: the zone, or its node. */
function useOwner(node: number, zone: string | undefined): ListOwner | null {
  const frame = useWorkbenchState((state) => state.session?.frame ?? null);
  return useMemo(() => {
    const at = frame?.view.lru.findIndex(({ key }) => key === zone || key === String(node)) ?? -1;
    const lru = frame?.view.lru[at];
    if (!frame || !lru) return null;
    return { key: lru.key, pages: lru.lists, lists: readLruPages(frame.lru)[at] ?? [] };
  }, [frame, node, zone]);
}

/** The place of a page among the generations of its node. */
function useGeneration(node: number, pfn: number) {
  const frame = useWorkbenchState((state) => state.session?.frame ?? null);
  return useMemo(() => {
    const owners = frame?.view.generations ?? [];
    const at = owners.findIndex((owner) => owner.node === node);
    const owner = owners[at];
    if (!frame || !owner) return null;
    const lists = readGenerations(frame.generations, owners)[at] ?? [];
    return placeOfPage(owner, lists, pfn);
  }, [frame, node, pfn]);
}

function Acts({ pfn }: { pfn: number }) {
  const workbench = useWorkbench();
  const watch = { kind: "page", pfn, part: "any" } as const;
  const isStop = useWorkbenchState(({ breakpoints }) =>
    breakpoints.some(
      ({ watch: one }) => one.kind === "page" && one.pfn === pfn && one.part === "any",
    ),
  );
  const life = () => {
    const { selected } = workbench.store.getState();
    if (!selected.includes(`page ${pfn}`)) workbench.select(`page ${pfn}`);
    workbench.keep({ sideTab: "explain" });
  };
  return (
    <>
      <button
        type="button"
        className="btn line tiny"
        aria-pressed={isStop}
        onClick={() => workbench.stops.toggle(watch)}
      >
        {PAGE_CARD.stopWhenItChanges}
      </button>
      <button
        type="button"
        className="btn line tiny"
        onClick={() => workbench.stops.lastChange(watch)}
      >
        {PAGE_CARD.lastChange}
      </button>
      <button type="button" className="btn line tiny" onClick={life}>
        {PAGE_CARD.history}
      </button>
    </>
  );
}
