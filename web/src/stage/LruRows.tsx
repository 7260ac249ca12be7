import { lazy, type RefObject, Suspense, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useWorkbench } from "../app/context";
import {
  AHEAD,
  activeShare,
  FATES,
  HAND_ROW,
  type HandPage,
  handFrom,
  LRU_LISTS,
  type LruLayout,
  type LruPage,
  type LruPages,
  type LruRow,
  lineOf,
  lruLayout,
  lruPage,
  NO_LRU_PAGES,
  pagePlace,
  paintLruRows,
  readHand,
  SLOTS,
  slotAt,
  slotPlace,
} from "../draw/lru-lists";
import type { TileLayout } from "../draw/map/pagemap";
import { ownerWords } from "../draw/reclaim";
import { stateWords } from "../draw/states";
import { count } from "../engine/format";
import type { BatchView, LruView, View } from "../engine/types";
import { Canvas } from "../ui/Canvas";
import { afterFirstFigure } from "../ui/first-figure";
import { usePhone } from "../ui/fit";
import { Roll } from "../ui/roll";
import { usePalette } from "../ui/theme";
import { BatchLine } from "./BatchLine";
import { LruMarks } from "./LruMarks";
import { MapGrid } from "./map/MapGrid";
import type { PageCell } from "./Travels";
import { LRU_ROWS } from "./words";

const Travels = lazy(async () => {
  const { Travels: T } = await afterFirstFigure(() => import("./Travels"));
  return { default: T };
});

/** Room for names and counts on the left of the lists. */
const NAMES_PX = 154;
/** In narrower places names are above their lists, as on a phone. */
const NARROW_PX = 400;

interface LruRowsProps {
  readonly view: View;
  readonly lru: LruView;
  readonly lists: readonly LruPages[];
  readonly batches: readonly BatchView[];
  readonly width_px: number;
  /** Lists that have never had a page, by row: if there is little space, they share a line. */
  readonly folded: readonly boolean[];
}

/** Four lists and the pages in progress, with a line about the fates of a batch. */
export function LruRows({ view, lru, lists, batches, width_px, folded }: LruRowsProps) {
  const workbench = useWorkbench();
  const isStacked = usePhone() || width_px < NARROW_PX;
  const palette = usePalette();
  const [cursor, setCursor] = useState<number | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const layout = useMemo(
    () => lruLayout(isStacked ? width_px : width_px - NAMES_PX, isStacked, folded),
    [width_px, isStacked, folded],
  );
  useUnfolding(box, layout.height, folded);
  // If several reclaimers work on these lists, the one that ran last is shown.
  const batch = batches.find(({ task }) => task === view.ran) ?? batches[0];
  const taken = batch ? readHand(batch.pages) : [];
  const from = handFrom(taken);
  const hand = taken.slice(from, from + SLOTS);
  const scanned = hand.length > 0 ? (batch?.list ?? null) : null;
  const rows: LruRow[] = LRU_LISTS.map(({ list, token }) => ({
    list: lists[list] ?? NO_LRU_PAGES,
    pages: lru.lists[list] ?? 0,
    token,
  }));
  const pageOf = (cell: number) => pageAt(rows, hand, cell);
  const say = (cell: number) => cellWords(rows, taken, from, cell);
  return (
    <>
      <div
        ref={box}
        className="lru-rows"
        data-stacked={isStacked || undefined}
        style={{ gridAutoRows: layout.row_px }}
      >
        <RowNames lru={lru} scanned={scanned} layout={layout} />
        <div className="lru-tiles" style={{ gridRowEnd: `span ${layout.height / layout.row_px}` }}>
          <MapGrid
            label={LRU_ROWS.pagesAtTails(ownerWords(lru.key))}
            layout={cellsOf(layout)}
            count={SLOTS * (HAND_ROW + 1)}
            cursor={cursor}
            setCursor={(cell) => {
              setCursor(cell);
              const page = cell === null ? null : pageOf(cell);
              workbench.hover(page ? `page ${page.pfn}` : null);
            }}
            say={say}
            at={(x, y) => {
              const slot = slotAt(layout, x, y);
              return slot && cellAt(slot.row, slot.place);
            }}
            press={(cell) => {
              const page = pageOf(cell);
              if (page) workbench.select(`page ${page.pfn}`);
            }}
          >
            <Canvas
              width={layout.width}
              height={layout.height}
              draw={(g) => paintLruRows(g, layout, rows, hand, palette)}
            />
            <LruMarks
              layout={layout}
              rows={rows}
              hand={hand}
              scanned={scanned}
              point={cursor === null ? null : slotOf(cursor)}
            />
            <Suspense>
              <Travels
                owner={lru.key}
                step={view.position.step}
                tile_px={layout.tile_px}
                cells={() => cellsByPage(layout, rows, hand)}
                origin={(pfn) => {
                  const row = LRU_LISTS.findIndex(({ list }) => list === batch?.list);
                  return tailCell(layout, hand, row, pfn);
                }}
              />
            </Suspense>
          </MapGrid>
        </div>
      </div>
      <p className="batch">
        {cursor === null ? (
          <BatchLine view={view} lru={lru} batch={batch} />
        ) : (
          <span className="readout">{say(cursor)}</span>
        )}
      </p>
    </>
  );
}

/** Where the pages of the lists and the isolated ones are drawn. */
function cellsByPage(
  layout: LruLayout,
  rows: readonly LruRow[],
  hand: readonly HandPage[],
): Map<number, PageCell> {
  const places = new Map<number, PageCell>();
  const longest = Math.max(...rows.map(({ pages }) => pages));
  rows.forEach(({ list, pages }, row) => {
    for (let place = 0; place < list.sent; place += 1) {
      const page = lruPage(list, place);
      if (page) places.set(page.pfn, { row, ...pagePlace(layout, row, place, pages, longest) });
    }
  });
  hand.forEach(({ pfn }, place) => {
    places.set(pfn, { row: HAND_ROW, ...slotPlace(layout, HAND_ROW, place) });
  });
  return places;
}

/** The tail of the list that a batch was just taken from: its pages came from there. */
function tailCell(
  layout: LruLayout,
  hand: readonly HandPage[],
  row: number,
  pfn: number,
): PageCell | undefined {
  if (row < 0 || hand.some(({ fate }) => fate !== AHEAD)) return undefined;
  const place = hand.findIndex((page) => page.pfn === pfn);
  return place < 0 ? undefined : { row, ...slotPlace(layout, row, place) };
}

/** A list that unfolds moves the content below it smoothly. */
function useUnfolding(box: RefObject<HTMLElement | null>, px: number, folded: readonly boolean[]) {
  const last = useRef({ px, folded });
  useLayoutEffect(() => {
    const was = last.current;
    last.current = { px, folded };
    const element = box.current;
    const isUnfolded = folded.some((_, row) => was.folded[row] && !folded[row]);
    if (!element?.animate || !isUnfolded || px <= was.px) return;
    const style = getComputedStyle(element);
    const duration = Number.parseFloat(style.getPropertyValue("--m-step"));
    if (!(duration > 0)) return;
    const easing = style.getPropertyValue("--ease").trim() || "ease-out";
    const [from, to] = [was.px, px].map((height) => ({ height: `${height}px`, overflow: "clip" }));
    element.animate([from ?? {}, to ?? {}], { duration, easing });
  }, [box, px, folded]);
}

/** Cells run from the head to the tail, row by row, in the order of the grid's keys. */
const cellAt = (row: number, place: number) => row * SLOTS + SLOTS - 1 - place;
const slotOf = (cell: number) => ({
  row: Math.floor(cell / SLOTS),
  place: SLOTS - 1 - (cell % SLOTS),
});

function cellsOf(layout: LruLayout): TileLayout {
  const bands = Array.from({ length: HAND_ROW + 1 }, (_, row) => ({
    zone: "",
    name: "",
    first: row * SLOTS,
    frames: SLOTS,
    first_pfn: 0,
    y: lineOf(layout, row) * layout.row_px,
  }));
  const { width, height, tile_px } = layout;
  return { columns: SLOTS, tile_px, width, height, bands };
}

function pageAt(
  rows: readonly LruRow[],
  hand: readonly HandPage[],
  cell: number,
): LruPage | HandPage | null {
  const { row, place } = slotOf(cell);
  const list = rows[row]?.list;
  return (list ? lruPage(list, place) : hand[place]) ?? null;
}

/** A page's position and flags: "0x52fcb, 3 from the tail of inactive file: dirty, referenced". */
function cellWords(
  rows: readonly LruRow[],
  taken: readonly HandPage[],
  from: number,
  cell: number,
): string {
  const { row, place } = slotOf(cell);
  if (row === HAND_ROW) {
    const held = taken[from + place];
    if (!held) return LRU_ROWS.noIsolatedPageHere;
    return LRU_ROWS.isolatedPageOf(
      held.pfn,
      from + place + 1,
      taken.length,
      FATES[held.fate]?.words,
    );
  }
  const page = pageAt(rows, [], cell);
  const name = LRU_LISTS[row]?.words ?? "";
  if (!page || "fate" in page) return LRU_ROWS.noPageHere(name);
  const where = place === 0 ? LRU_ROWS.atTail : LRU_ROWS.fromTail(place);
  const flags = LRU_ROWS.flags(page.isReferenced, page.isFirstOut, page.isReread);
  return LRU_ROWS.page(page.pfn, where, name, stateWords(page.state), flags);
}

interface Share {
  /** The ratio of active to inactive pages, and the allowed ratio. */
  readonly words: string;
  /** The allowed ratio. */
  readonly most: number;
  readonly isOver: boolean;
}

function shareOf(lru: LruView, list: number): Share | null {
  const inactive = lru.lists[list - 1] ?? 0;
  const active = lru.lists[list] ?? 0;
  const now = activeShare(inactive, active);
  const most = lru.ratio[(list - 1) / 2] ?? 1;
  if (now === null || active === 0) return null;
  const isOver = active > inactive * most;
  return { words: `×${now}${isOver ? " ↓" : ""}`, most, isOver };
}

/** The name of each row and its number of pages; `scanned` is the list that reclaim works on. */
function RowNames({
  lru,
  scanned,
  layout,
}: {
  lru: LruView;
  scanned: number | null;
  layout: LruLayout;
}) {
  const { lines, folded_line } = layout;
  const folded = LRU_LISTS.filter((_, row) => lines[row] === null);
  return (
    <>
      {LRU_LISTS.map(
        ({ list, words }, row) =>
          lines[row] !== null && (
            <RowName
              key={list}
              line={lineOf(layout, row)}
              words={words}
              pages={lru.lists[list] ?? 0}
              isScanned={list === scanned}
              share={list % 2 === 1 ? shareOf(lru, list) : null}
            />
          ),
      )}
      {folded_line !== null && (
        <p className="stage-folded-lists" style={{ gridRow: folded_line + 1 }}>
          {LRU_ROWS.emptySoFar(
            folded.length === LRU_LISTS.length
              ? LRU_ROWS.allFourLists
              : folded.map(({ words }) => words).join(", "),
          )}
        </p>
      )}
      <RowName
        line={lineOf(layout, HAND_ROW)}
        words={LRU_ROWS.isolated}
        pages={(lru.isolated[0] ?? 0) + (lru.isolated[1] ?? 0)}
        isScanned={false}
        share={null}
      />
    </>
  );
}

/** The glossary entry of a row's name. */
function rowTerm(words: string): string {
  if (words.startsWith("inactive")) return "inactive-list";
  return words.startsWith("active") ? "active-list" : "isolated";
}

function RowName({
  line,
  words,
  pages,
  isScanned,
  share,
}: {
  line: number;
  words: string;
  pages: number;
  isScanned: boolean;
  share: Share | null;
}) {
  return (
    <div className={isScanned ? "row-name scanned" : "row-name"} style={{ gridRow: line + 1 }}>
      <span>
        <span data-term={rowTerm(words)}>{words}</span>
        {share && (
          <small
            className={share.isOver ? "over" : ""}
            title={LRU_ROWS.activePagesPerInactive(share.most)}
          >
            {share.words}
          </small>
        )}
      </span>
      <b>
        <Roll value={pages}>{count(pages)}</Roll>
      </b>
    </div>
  );
}
