import { describe, expect, test } from "vitest";
import { cellLayout } from "./cellmap";
import { cellRuns, runLayers, runWords } from "./runs";
import { zoneLayout } from "./zoom";
import { paintZone } from "./zoompaint";

/** Counts by order, from an object. */
const counts = (of: Record<number, number>) =>
  Uint16Array.from({ length: 13 }, (_, order) => of[order] ?? 0);

describe("the free part of a pageblock", () => {
  test("is one layer over the whole cell if it is one block", () => {
    expect(runLayers(counts({ 9: 1 }), 512, 21)).toEqual([{ from: 0, to: 21, blocks: 1 }]);
  });

  test("has its largest blocks at the bottom, side by side", () => {
    const layers = runLayers(counts({ 8: 1, 6: 2 }), 512, 20);
    expect(layers).toEqual([
      { from: 0, to: 10, blocks: 1 },
      { from: 10, to: 15, blocks: 2 },
    ]);
  });

  test("is a texture where blocks are too small to draw", () => {
    const layers = runLayers(counts({ 8: 1, 4: 1, 0: 160 }), 512, 20);
    expect(layers[0]).toEqual({ from: 0, to: 10, blocks: 1 });
    expect(layers[1]?.from).toBe(10);
    expect(layers[1]?.to).toBeCloseTo((432 / 512) * 20);
    expect(layers[1]?.blocks).toBe(0);
    // The layer is high enough, but its blocks are too narrow.
    expect(runLayers(counts({ 0: 256 }), 512, 20)).toEqual([{ from: 0, to: 10, blocks: 0 }]);
    // A single page is less than a pixel.
    expect(runLayers(counts({ 0: 1 }), 512, 21)).toEqual([]);
  });

  test("is never higher than its pages", () => {
    const all = runLayers(counts({ 9: 0, 7: 2, 5: 3, 2: 10, 1: 9, 0: 100 }), 512, 21);
    const pages = 256 + 96 + 40 + 18 + 100;
    expect(all.at(-1)?.to).toBeCloseTo((pages / 512) * 21);
    for (const [i, { from }] of all.entries()) expect(from).toBeCloseTo(all[i - 1]?.to ?? 0);
  });

  test("is described by order, largest first", () => {
    expect(runWords(counts({ 8: 1, 4: 3, 0: 12 }))).toBe(
      "1 block of order 8, 3 of order 4, 12 of order 0",
    );
    expect(runWords(counts({ 3: 2 }))).toBe("2 blocks of order 3");
    expect(runWords(counts({}))).toBe("");
    expect(
      Array.from(
        cellRuns(
          Uint16Array.from({ length: 26 }, (_, i) => i),
          1,
        ),
      ),
    ).toEqual(Array.from({ length: 13 }, (_, i) => 13 + i));
  });
});

describe("a painted pageblock", () => {
  /** The lines in the free part of a cell of a zone's only block. */
  function lines(of: Record<number, number>) {
    const zone = { key: "0/Normal", name: "Normal", node: 0, start_pfn: 0, spanned: 512 };
    const node = cellLayout({ ranges: [[0, 512]], zones: [zone] }, 512, 1, 8);
    const layout = zoneLayout(node, 512);
    const drawn: { ink: string; w: number; h: number }[] = [];
    const g = {
      fillStyle: "",
      save() {},
      restore() {},
      translate() {},
      fillRect(_x: number, _y: number, w: number, h: number) {
        drawn.push({ ink: this.fillStyle, w, h });
      },
    };
    const shares = new Uint16Array(12);
    shares[0] = 65535;
    const cells = {
      shares,
      places: Int32Array.of(0),
      runs: counts(of),
      typeOf: () => 1,
    };
    const port = { x: 0, y: 0, width: 100, height: 100 };
    const palette = { free: "free", "ink-3": "line" };
    // A cast: the painter uses only the four calls and the property above of a context.
    paintZone(g as unknown as CanvasRenderingContext2D, layout, cells, port, palette);
    return drawn.filter(({ ink }) => ink === "line");
  }

  test("has no line for one free block, one for two, and many for small blocks", () => {
    expect(lines({ 9: 1 })).toEqual([]);
    expect(lines({ 8: 2 })).toHaveLength(1);
    expect(lines({ 8: 1, 7: 2 })).toHaveLength(2);
    expect(lines({ 0: 512 }).length).toBeGreaterThan(8);
  });
});
