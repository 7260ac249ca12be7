import "./generations.css";
import { lazy, Suspense, useMemo, useState } from "react";
import { useWorkbench } from "../app/context";
import {
  columnOf,
  GEN_COLUMNS,
  GEN_HAND_PX,
  GEN_HAND_ROW,
  GEN_HEAD_PX,
  GEN_TYPE_PX,
  GEN_TYPES,
  type GenLayout,
  type GenLists,
  type GenSlot,
  genCell,
  genLayout,
  genPage,
  genPlace,
  genSlot,
  genSlotAt,
  handTile,
  mostPages,
  paintGenerations,
  rowTiles,
} from "../draw/generations";
import { AHEAD, FATES, type HandPage, handFrom, readHand } from "../draw/lru-lists";
import type { TileLayout } from "../draw/map/pagemap";
import { ownerWords } from "../draw/reclaim";
import { stateWords } from "../draw/states";
import { count } from "../engine/format";
import type { GenerationsView, GenerationView, LruView, View } from "../engine/types";
import { Canvas } from "../ui/Canvas";
import { afterFirstFigure } from "../ui/first-figure";
import { Name } from "../ui/lit";
import { RichText } from "../ui/rich-text";
import { Roll } from "../ui/roll";
import { Term } from "../ui/term";
import { usePalette } from "../ui/theme";
import { BatchLine } from "./BatchLine";
import { type FaceGroup, FaceTabs } from "./FaceTabs";
import { GenerationMarks } from "./GenerationMarks";
import { GENERATIONS } from "./generation-words";
import { MapGrid } from "./map/MapGrid";
import type { PageCell } from "./Travels";

const Travels = lazy(async () => {
  const { Travels: T } = await afterFirstFigure(() => import("./Travels"));
  return { default: T };
});

/** Room for the names of the types on the left of the columns. */
const NAMES_PX = 58;
/** In narrower columns the tiers are said by the cursor only. */
const ROOM_FOR_TIERS_PX = 92;

interface GenerationsProps {
  readonly view: View;
  readonly owner: GenerationsView;
  readonly lru: LruView;
  /** Pages by generation, oldest first, then by type. */
  readonly lists: readonly GenLists[];
  /** The available width. */
  readonly width_px: number;
  /** The faces that share its place; null if there are none. */
  readonly place: FaceGroup | null;
}

/** The generations of a node as columns by age, with the pages that reclaim has isolated. */
export function Generations({ view, owner, lru, lists, width_px, place }: GenerationsProps) {
  const workbench = useWorkbench();
  const palette = usePalette();
  const [cursor, setCursor] = useState<number | null>(null);
  const layout = useMemo(() => genLayout(width_px - NAMES_PX), [width_px]);
  const batches = view.batches.filter((batch) => batch.owner === owner.key);
  const batch = batches.find(({ task }) => task === view.ran) ?? batches[0];
  const taken = batch ? readHand(batch.pages) : [];
  const from = handFrom(taken);
  const hand = taken.slice(from, from + rowTiles(layout));
  // The kernel's counter has the pages of compaction and migration only.
  const counted = (lru.isolated[0] ?? 0) + (lru.isolated[1] ?? 0);
  const pageOf = (cell: number) => pageAt(layout, owner, lists, hand, genSlot(layout, cell));
  const say = (cell: number) => cellWords(layout, owner, lists, taken, from, genSlot(layout, cell));
  return (
    <section className="lru" aria-label={GENERATIONS.of(ownerWords(owner.key))}>
      <div className="hd">
        {place ? (
          <FaceTabs of={place} />
        ) : (
          <span className="label">
            <Term id="generation" tabIndex={owner.node === 0 ? undefined : -1}>
              {GENERATIONS.title}
            </Term>
          </span>
        )}
        <span className="cap ends">{GENERATIONS.oldestAtRight}</span>
      </div>
      <div className="gens" style={{ gridTemplateColumns: `${NAMES_PX}px minmax(0, 1fr)` }}>
        <TypeNames isolated={counted + taken.length} />
        <div className="gen-cells">
          <MapGrid
            label={GENERATIONS.pagesOf(ownerWords(owner.key))}
            layout={cellsOf(layout)}
            count={rowTiles(layout) * (GEN_HAND_ROW + 1)}
            cursor={cursor}
            setCursor={(cell) => {
              setCursor(cell);
              const page = cell === null ? null : pageOf(cell);
              workbench.hover(page ? `page ${page.pfn}` : null);
            }}
            say={say}
            at={(x, y) => {
              const slot = genSlotAt(layout, x, y);
              return slot && genCell(layout, slot);
            }}
            press={(cell) => {
              const page = pageOf(cell);
              if (page) workbench.select(`page ${page.pfn}`);
            }}
          >
            <Canvas
              width={layout.width}
              height={layout.height}
              draw={(g) => paintGenerations(g, layout, owner, lists, hand, palette)}
            />
            <GenerationMarks
              {...{ layout, owner, lists, hand }}
              scanned={hand.length > 0 ? typeOf(batch?.list) : null}
              point={cursor === null ? null : genSlot(layout, cursor)}
            />
            <Suspense>
              <Travels
                owner={owner.key}
                step={view.position.step}
                tile_px={layout.tile_px}
                cells={() => cellsByPage(layout, owner, lists, hand)}
                origin={() => undefined}
              />
            </Suspense>
          </MapGrid>
          <Columns {...{ owner, layout }} now_ns={view.position.time_ns} />
        </div>
      </div>
      <p className="batch">
        {cursor !== null && <span className="readout">{say(cursor)}</span>}
        {cursor === null && owner.walking && <Walking view={view} owner={owner} />}
        {cursor === null && !owner.walking && batch && <BatchLine {...{ view, lru, batch }} />}
        {cursor === null && !owner.walking && taken.length > 0 && (
          <span className="cap">{GENERATIONS.notCounted(counted)}</span>
        )}
        {cursor === null && !owner.walking && !batch && (
          <span className="cap how">{GENERATIONS.usedPagesMove}</span>
        )}
      </p>
      <Refaults owner={owner} />
    </section>
  );
}

/** The type of the pages of a classic list. */
const typeOf = (list: number | undefined): number | null =>
  list === undefined ? null : list >= 2 ? 1 : 0;

function cellsOf(layout: GenLayout): TileLayout {
  const columns = rowTiles(layout);
  const bands = Array.from({ length: GEN_HAND_ROW + 1 }, (_, row) => ({
    zone: "",
    name: "",
    first: row * columns,
    frames: columns,
    first_pfn: 0,
    y: GEN_HEAD_PX + row * GEN_TYPE_PX,
  }));
  return {
    columns,
    tile_px: layout.tile_px,
    width: layout.width,
    height: layout.height,
    bands,
  };
}

/** The generation in a column, by its place among all; null if the column is empty. */
function generationIn({ generations }: GenerationsView, column: number): number | null {
  const generation = GEN_COLUMNS - 1 - column;
  return generation < generations.length ? generation : null;
}

function pageAt(
  layout: GenLayout,
  owner: GenerationsView,
  lists: readonly GenLists[],
  hand: readonly HandPage[],
  { row, column, place }: GenSlot,
) {
  if (row === GEN_HAND_ROW) return hand[place] ?? null;
  const generation = generationIn(owner, column);
  const list = generation === null ? undefined : lists[generation]?.[GEN_TYPES[row]?.type ?? 0];
  return list && place < layout.tiles ? genPage(list, place) : null;
}

/** "0x52fcb, 3 from the end of file pages of generation 7, the youngest: dirty, tier 1". */
function cellWords(
  layout: GenLayout,
  owner: GenerationsView,
  lists: readonly GenLists[],
  taken: readonly HandPage[],
  from: number,
  slot: GenSlot,
): string {
  const { row, column, place } = slot;
  if (row === GEN_HAND_ROW) {
    const held = taken[from + place];
    if (!held) return GENERATIONS.noIsolatedPageHere;
    return GENERATIONS.isolatedPageOf(
      held.pfn,
      from + place + 1,
      taken.length,
      FATES[held.fate]?.words ?? "",
    );
  }
  const at = generationIn(owner, column);
  const generation = at === null ? undefined : owner.generations[at];
  if (at === null || !generation) return GENERATIONS.noGenerationHere;
  const { type = 0, words = "" } = GEN_TYPES[row] ?? {};
  const name = GENERATIONS.cell(words, generation.seq, ageWords(owner, at));
  const page = pageAt(layout, owner, lists, [], slot);
  if (!page || !("tier" in page)) {
    return GENERATIONS.cellPages(name, generation.pages[type] ?? 0, generation.tiers[type] ?? []);
  }
  return GENERATIONS.page(page.pfn, place, name, stateWords(page.state), page.tier);
}

/** A generation's place by age: "youngest", "oldest". */
function ageWords({ generations }: GenerationsView, at: number): string {
  if (at === generations.length - 1) return GENERATIONS.youngest;
  return at === 0 ? GENERATIONS.oldest : "";
}

function cellsByPage(
  layout: GenLayout,
  owner: GenerationsView,
  lists: readonly GenLists[],
  hand: readonly HandPage[],
): Map<number, PageCell> {
  const cells = new Map<number, PageCell>();
  const most = mostPages(owner);
  owner.generations.forEach(({ seq, pages }, generation) => {
    GEN_TYPES.forEach(({ type }, row) => {
      const list = lists[generation]?.[type];
      for (let place = 0; place < (list?.sent ?? 0); place += 1) {
        const page = list && genPage(list, place);
        if (!page) continue;
        const at = { row, column: columnOf(generation), place };
        // A page moves when its generation or its type changes, not when the columns shift.
        const own = seq * GEN_TYPES.length + row;
        cells.set(page.pfn, { row: own, ...genPlace(layout, at, pages[type] ?? 0, most) });
      }
    });
  });
  hand.forEach(({ pfn, fate }, place) => {
    const known = fate === AHEAD ? cells.get(pfn) : undefined;
    cells.set(pfn, known ?? { row: -1, ...handTile(layout, place) });
  });
  return cells;
}

function TypeNames({ isolated }: { isolated: number }) {
  return (
    <div className="gen-names">
      <span style={{ height: GEN_HEAD_PX }} />
      {GEN_TYPES.map(({ words }) => (
        <span key={words} style={{ height: GEN_TYPE_PX }}>
          {words}
        </span>
      ))}
      <span style={{ height: GEN_HAND_PX }}>
        <span data-term="isolated">{GENERATIONS.isolated}</span>{" "}
        <b>
          <Roll value={isolated}>{count(isolated)}</Roll>
        </b>
      </span>
    </div>
  );
}

/** Above the tiles: the number and the age of each generation, and its pages by type. */
function Columns({
  owner,
  layout,
  now_ns,
}: {
  owner: GenerationsView;
  layout: GenLayout;
  now_ns: number;
}) {
  const last = owner.generations.length - 1;
  return (
    <div className="gen-columns" style={{ width: layout.width }}>
      {Array.from({ length: GEN_COLUMNS }, (_, column) => {
        const at = generationIn(owner, column);
        const generation = at === null ? undefined : owner.generations[at];
        if (at === null || !generation) {
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a column has no other name
            <div key={column} className="gen-column none">
              {owner.walking && column === GEN_COLUMNS - 2 - last && (
                <span className="cap">{GENERATIONS.opensNext(owner.max_seq + 1)}</span>
              )}
            </div>
          );
        }
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a column has no other name
          <div key={column} className="gen-column">
            <Head
              {...{ generation, now_ns }}
              words={ageWords(owner, at)}
              isYoungest={at === last}
            />
            {GEN_TYPES.map(({ type }) => (
              <Pages
                key={type}
                generation={generation}
                type={type}
                hasTiers={layout.column_px >= ROOM_FOR_TIERS_PX}
              />
            ))}
          </div>
        );
      })}
    </div>
  );
}

function Head({
  generation: { seq, born_ns },
  words,
  isYoungest,
  now_ns,
}: {
  generation: GenerationView;
  words: string;
  isYoungest: boolean;
  now_ns: number;
}) {
  return (
    <p
      className={isYoungest ? "gen-head youngest" : "gen-head"}
      style={{ height: GEN_HEAD_PX }}
      title={GENERATIONS.headTitle(seq, words, now_ns - born_ns)}
    >
      <b>{count(seq)}</b> {words || GENERATIONS.age(now_ns - born_ns)}
    </p>
  );
}

/** The pages of a type, and how many of them are in higher tiers. */
function Pages({
  generation,
  type,
  hasTiers,
}: {
  generation: GenerationView;
  type: number;
  hasTiers: boolean;
}) {
  const pages = generation.pages[type] ?? 0;
  const tiers = GENERATIONS.someTiers(generation.tiers[type] ?? []);
  return (
    <p className="gen-pages" style={{ height: GEN_TYPE_PX }}>
      <b>
        <Roll value={pages}>{count(pages)}</Roll>
      </b>
      {hasTiers && tiers && <small title={GENERATIONS.tiersHelp}>{tiers}</small>}
    </p>
  );
}

/** The walk over page tables that looks for used pages. */
function Walking({ view, owner: { walking } }: { view: View; owner: GenerationsView }) {
  if (!walking) return null;
  const name = (id: number) => view.tasks.find((task) => task.id === id)?.name ?? String(id);
  return (
    <>
      <Name k={`task ${walking.task}`} className="pill on">
        {name(walking.task)}
      </Name>
      <span className="cap">
        <RichText
          text={GENERATIONS.walking(walking.scanned, walking.young)}
          parts={{
            process: (
              <Name k={`task ${walking.process}`} className="name">
                {name(walking.process)}
              </Name>
            ),
            b: (text) => <b>{text}</b>,
          }}
        />
      </span>
    </>
  );
}

/** What the refault controller compares: refaults and evictions of tier 0 of both types. */
function Refaults({ owner }: { owner: GenerationsView }) {
  const of = (type: number) => {
    const tier = owner.tiers[type]?.[0];
    if (!tier) return { refaulted: 0, total: 0 };
    return {
      refaulted: tier.refaulted + tier.avg_refaulted,
      total: tier.evicted + tier.avg_total,
    };
  };
  const [anon, file] = [of(0), of(1)];
  return (
    <p className="cap gen-refaults" title={GENERATIONS.refaultsHelp}>
      {GENERATIONS.refaults(file, anon)}
    </p>
  );
}
