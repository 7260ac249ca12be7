import { describe, expect, test } from "vitest";
import {
  columnOf,
  columnX,
  GEN_COLUMNS,
  GEN_HAND_ROW,
  GEN_TYPES,
  genCell,
  genLayout,
  genPage,
  genPlace,
  genSlot,
  genSlotAt,
  genTile,
  handTile,
  mostPages,
  paintGenerations,
  readGenerations,
  rowTiles,
} from "./generations";

/** The engine's array: lists of pages, each a row of [pfn, word]. */
const words = (...lists: [number, number][][]) =>
  new Uint32Array(lists.flatMap((list) => [list.length, ...list.flat()]));

const generation = (seq: number, pages: number[]) => ({ seq, pages, born_ns: 0, tiers: [] });
const owner = {
  generations: [generation(4, [2, 0]), generation(5, [0, 1]), generation(6, [0, 0])],
};
const dirty = 5;

describe("reading the generations of the engine", () => {
  test("gives pages by owner, generation and type, with the tier of each page", () => {
    const one = words(
      [
        [7, 2],
        [8, 2 | 0x100],
      ],
      [],
      [],
      [[9, dirty | (3 << 12)]],
      [],
      [],
    );
    const owners = readGenerations(new Uint32Array([...one, ...one]), [owner, owner]);
    expect(owners.map((lists) => lists.map((types) => types.map(({ sent }) => sent)))).toEqual([
      [
        [2, 0],
        [0, 1],
        [0, 0],
      ],
      [
        [2, 0],
        [0, 1],
        [0, 0],
      ],
    ]);
    const [oldest, next] = owners[1] ?? [];
    expect(oldest?.[0] && genPage(oldest[0], 1)).toMatchObject({
      pfn: 8,
      isReferenced: true,
      tier: 0,
    });
    expect(next?.[1] && genPage(next[1], 0)).toMatchObject({ pfn: 9, state: dirty, tier: 3 });
    expect(next?.[1] && genPage(next[1], 1)).toBeNull();
  });
});

describe("the columns of generations", () => {
  const layout = genLayout(440);

  test("have the oldest generation at the right, however many there are", () => {
    expect([0, 1, 2, 3].map(columnOf)).toEqual([3, 2, 1, 0]);
    expect(columnX(layout, GEN_COLUMNS - 1) + layout.column_px).toBeCloseTo(layout.width);
  });

  test("put the page that is evicted first at the right end of its cell", () => {
    const right = columnX(layout, 3) + layout.column_px;
    expect(genTile(layout, 0, 3, 0).x).toBeCloseTo(right - layout.tile_px);
    expect(genTile(layout, 0, 3, 1).x).toBeLessThan(genTile(layout, 0, 3, 0).x);
  });

  test("put pages without a tile into the strip, the first evicted at its right", () => {
    const place = (at: number) => genPlace(layout, { row: 0, column: 3, place: at }, 500, 500).x;
    const leftmost = genTile(layout, 0, 3, layout.tiles - 1).x;
    expect(place(layout.tiles)).toBeLessThan(leftmost);
    expect(place(499)).toBeLessThan(place(layout.tiles));
    expect(place(499)).toBeGreaterThanOrEqual(columnX(layout, 3) - 0.01);
  });

  test("fit any width", () => {
    for (const width of [0, 120, 300, 440, 900]) {
      const { tiles, tile_px, column_px, strip_px } = genLayout(width);
      expect(tiles).toBeGreaterThan(0);
      if (width >= 300) expect(tiles * tile_px + strip_px).toBeLessThanOrEqual(column_px);
    }
  });

  test("number their tiles from left to right, and find them at a point", () => {
    const across = rowTiles(layout);
    for (let cell = 0; cell < across * (GEN_HAND_ROW + 1); cell += 1) {
      const slot = genSlot(layout, cell);
      expect(genCell(layout, slot)).toBe(cell);
      const { x, y } =
        slot.row === GEN_HAND_ROW
          ? handTile(layout, slot.place)
          : genTile(layout, slot.row, slot.column, slot.place);
      expect(genSlotAt(layout, x + 1, y + 1)).toEqual(slot);
    }
    expect(genSlotAt(layout, 20, 2)).toBeNull();
    expect(genSlotAt(layout, -1, 40)).toBeNull();
    expect(genSlotAt(layout, columnX(layout, 1) - 2, 40)).toBeNull();
  });
});

test("a page in a higher tier gets a dot for each tier", () => {
  const dots: number[][] = [];
  const g = new Proxy(
    { fillRect: (...box: number[]) => box[2] === 2 && box[3] === 2 && dots.push(box) },
    { get: (own, key) => Reflect.get(own, key) ?? (() => undefined), set: () => true },
  ) as unknown as CanvasRenderingContext2D;
  const sent = words([], [], [], [[9, 4 | (2 << 12)]], [], []);
  const lists = readGenerations(sent, [owner])[0] ?? [];
  paintGenerations(g, genLayout(440), owner, lists, [], {});
  expect(dots).toHaveLength(2);
  expect(mostPages(owner)).toBe(2);
  expect(GEN_TYPES.map(({ words: name }) => name)).toEqual(["file", "anon"]);
});
