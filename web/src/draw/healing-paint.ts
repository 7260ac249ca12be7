// Paints free blocks over time: in each order's row, bars in proportion to its part of free memory.

import { barHeight, type HealingColumn, type HealingLayout, rowTop } from "./healing";
import type { Palette } from "./tile";

/** Opacity of the part after the current moment, which is known but was not shown yet. */
const AHEAD = 0.4;

/** Paints all rows; columns after `now` are drawn as upcoming. */
export function paintHealing(
  g: CanvasRenderingContext2D,
  layout: HealingLayout,
  columns: readonly HealingColumn[],
  of: {
    readonly orders: number;
    readonly requested: number | null;
    readonly now: number;
    readonly palette: Palette;
  },
): void {
  const { width, row_px, column_px } = layout;
  const { orders, requested, now, palette } = of;
  for (let order = 0; order < orders; order += 1) {
    const top = rowTop(layout, orders, order);
    if (order === requested) {
      g.fillStyle = palette.wash ?? "";
      g.fillRect(0, top, width, row_px);
    }
    g.fillStyle = palette[order === requested ? "ink-1" : "rule-1"] ?? "";
    g.fillRect(0, top + row_px - 1, width, 1);
    if (order === requested) g.fillRect(0, top - 1, width, 1);
    columns.forEach(({ blocks }, i) => {
      const high = barHeight(blocks, order, row_px);
      if (high === 0) return;
      const [left, right] = [Math.round(i * column_px), Math.round((i + 1) * column_px)];
      const y = top + row_px - 1 - high;
      g.globalAlpha = i > now ? AHEAD : 1;
      g.fillStyle = palette.free ?? "";
      g.fillRect(left, y, right - left, high);
      // The surface of the free pages, as in a tank.
      g.fillStyle = palette["ink-2"] ?? "";
      g.fillRect(left, y, right - left, 1);
      g.globalAlpha = 1;
    });
  }
}
