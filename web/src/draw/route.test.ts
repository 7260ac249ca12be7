import { describe, expect, test } from "vitest";
import { type RouteStop, routeHops } from "./route";

/** The corners and the ends of a path, without its rounding. */
const corners = (path: string) =>
  [...path.matchAll(/[ML](-?[\d.]+) (-?[\d.]+)|Q(-?[\d.]+) (-?[\d.]+)/g)]
    .filter(([piece], i, all) => piece.startsWith("Q") || i === 0 || i === all.length - 1)
    .map(([, x, y, cx, cy]) => [Number(x ?? cx), Number(y ?? cy)] as const);

describe("the route", () => {
  test("marks visited zones, points ahead, and omits zones that are not allowed", () => {
    const hops = routeHops([
      { x: 300, y: 68, state: "passed" },
      { x: 100, y: 68, state: "now" },
      { x: 500, y: 68, state: "ahead" },
      { x: 700, y: 68, state: "ahead" },
      { x: 900, y: 68, state: "not_allowed" },
    ]);
    expect(hops.map(({ look }) => look)).toEqual(["rest", "next", "walked"]);
  });

  test("joins all stops of eight nodes in four rows without a gap", () => {
    // The order for a node in the third row: its own two zones, then the others by distance.
    const stops = [5, 4, 6, 7, 2, 3, 0, 1].flatMap((node): RouteStop[] =>
      [1, 0].map((zone) => ({
        x: (node % 2) * 536 + zone * 172 + 8.5,
        y: 68 + Math.floor(node / 2) * 400,
        state: "ahead",
      })),
    );
    const hops = routeHops(stops);
    expect(hops.length).toBe(15);
    const ends = hops.map(({ path }) => corners(path));
    for (const [i, points] of ends.entries()) {
      const from = stops[i];
      const to = stops[i + 1];
      expect(Math.abs((points[0]?.[0] ?? 0) - (from?.x ?? 0))).toBeLessThan(4);
      expect(points[0]?.[1]).toBe(from?.y);
      expect(Math.abs((points.at(-1)?.[0] ?? 0) - (to?.x ?? 0))).toBeLessThan(4);
      expect(points.at(-1)?.[1]).toBe(to?.y);
    }
  });

  test("draws hops between rows in the left margin, each at its own x", () => {
    const hops = routeHops([
      { x: 100, y: 468, state: "now" },
      { x: 100, y: 68, state: "ahead" },
      { x: 100, y: 868, state: "ahead" },
    ]);
    const uprights = hops.map(({ path }) => corners(path)[2]?.[0] ?? 0);
    expect(new Set(uprights).size).toBe(2);
    for (const x of uprights) {
      expect(x).toBeLessThan(0);
      expect(x).toBeGreaterThan(-16);
    }
  });
});
