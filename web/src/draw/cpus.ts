// Lays out the CPUs: a row for each node and a cell for each CPU. The position of a cell depends
// only on the machine and the available space, so cells do not move when tasks start and end.

import { NODE_GAP_PX } from "./arrange";

/** CPUs of one node. */
export interface CpusOfNode {
  readonly id: number;
  readonly cpus: readonly number[];
}

/** The available room. */
export interface CpuRoom {
  readonly width_px: number;
  /** Whether touch input is used: targets are then high enough for a finger. */
  readonly hasTouch?: boolean;
}

/** A box, px. */
export interface CellBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The layout of all CPUs. */
export interface CpuLayout {
  /** Many CPUs: a cell shows only a task's name and the number of waiting tasks. */
  readonly isDense: boolean;
  /** Whether node names are above the cells instead of next to them. */
  readonly isAbove: boolean;
  readonly height_px: number;
  /** The box of each node's name. */
  readonly names: readonly (CellBox & { readonly node: number })[];
  /** A cell for each CPU, by its number; the cells of a node are consecutive. */
  readonly cells: readonly (CellBox & { readonly cpu: number; readonly node: number })[];
}

/** With more CPUs, or more lines of full cells, cells are drawn dense. */
const MOST_WHOLE = 16;
const MOST_LINES = 6;
/** Below this width a node's name is above its cells. */
const NARROW_PX = 480;
const NAME = { width: 52, height: 20 };
/** Widths of cells, and heights of their lines: the bar of the CPU's time, then its activity
 * and the waiting tasks; or its number and its task. */
const CELL = {
  whole: { least_px: 184, most_px: 360, gap_px: 16, line_px: 12, lines: [6, 26, 26] },
  dense: { least_px: 64, most_px: 96, gap_px: 8, line_px: 8, lines: [5, 16, 24] },
} as const;
/** The space between the cells of two nodes, and above the first node; lines of one node
    (`line_px`) may be closer. The arcs of tasks that move within a line are drawn in this space. */
const NODE_LINES_PX = 12;
const LEAST_LINE_PX = 8;
const PRESSED_PX = 24;
const FINGER_PX = 44;

/** Lays out the CPUs of all nodes. */
export function layoutCpus(nodes: readonly CpusOfNode[], room: CpuRoom): CpuLayout {
  const count = nodes.reduce((sum, { cpus }) => sum + cpus.length, 0);
  const whole = layoutAs("whole", nodes, room);
  const isTooMany = count > MOST_WHOLE || new Set(whole.cells.map(({ y }) => y)).size > MOST_LINES;
  return isTooMany ? layoutAs("dense", nodes, room) : whole;
}

function layoutAs(
  form: keyof typeof CELL,
  nodes: readonly CpusOfNode[],
  { width_px, hasTouch = false }: CpuRoom,
): CpuLayout {
  const { least_px, most_px, gap_px, line_px, lines } = CELL[form];
  const isNarrow = width_px < NARROW_PX;
  const name_px = nodes.length === 1 ? { width: 0, height: 0 } : NAME;
  const [left_px, top_px] = isNarrow ? [0, name_px.height] : [name_px.width, 0];
  // Two nodes are placed like their memory: node 1 right of node 0.
  const half_px = Math.floor((width_px - NODE_GAP_PX) / 2);
  const isPair = form === "whole" && nodes.length > 1 && half_px - left_px >= least_px;
  const node_px = isPair ? half_px : width_px;
  const within_px = Math.max(1, node_px - left_px);
  const most = Math.max(1, ...nodes.map(({ cpus }) => cpus.length));
  const fit = Math.max(1, Math.floor((within_px + gap_px) / (least_px + gap_px)));
  // Lines of equal length: if 15 fit, 16 CPUs take two lines of eight.
  const columns = Math.ceil(most / Math.ceil(most / fit));
  const cell_px = Math.min(most_px, Math.floor((within_px + gap_px) / columns) - gap_px);
  const height = lines.reduce((sum, px) => sum + lineHeight(px, hasTouch), 0);
  const names: (CellBox & { node: number })[] = [];
  const cells: (CellBox & { cpu: number; node: number })[] = [];
  let [y, bottom] = [NODE_LINES_PX, NODE_LINES_PX];
  nodes.forEach(({ id, cpus }, i) => {
    const isRight = isPair && i % 2 === 1;
    if (!isRight) y = bottom;
    const x = isRight ? half_px + NODE_GAP_PX : 0;
    if (nodes.length > 1) names.push({ node: id, x, y, width: node_px, height: NAME.height });
    cpus.forEach((cpu, nth) => {
      const [column, line] = [nth % columns, Math.floor(nth / columns)];
      const box = {
        x: x + left_px + column * (cell_px + gap_px),
        y: y + top_px + line * (height + line_px),
      };
      cells.push({ cpu, node: id, ...box, width: cell_px, height });
      bottom = Math.max(bottom, box.y + height + NODE_LINES_PX);
    });
    if (cpus.length === 0) bottom = Math.max(bottom, y + NAME.height + NODE_LINES_PX);
  });
  return {
    isDense: form === "dense",
    isAbove: isNarrow,
    height_px: bottom - NODE_LINES_PX,
    names,
    cells,
  };
}

/** Lines without targets are not made higher for touch. */
const lineHeight = (px: number, hasTouch: boolean): number =>
  hasTouch && px >= PRESSED_PX ? Math.max(px, FINGER_PX) : px;

/** The arc of a task from one cell to another: a curve, and an arrow at its end. */
export interface Arc {
  readonly d: string;
  readonly arrow: string;
}

/** The distance of an arc's ends from the left edge of a cell. */
const ANCHOR_PX = 22;
const ARROW_PX = 4;

/**
 * An arc within a line is drawn above the cells; other arcs are drawn from one line to the other.
 */
export function arcBetween(from: CellBox, to: CellBox): Arc {
  const x = (cell: CellBox) => Math.round(cell.x + Math.min(ANCHOR_PX, cell.width / 2));
  const [x1, x2] = [x(from), x(to)];
  if (from.y === to.y) {
    const above = from.y - LEAST_LINE_PX - 1;
    return {
      d: `M${x1} ${from.y}C${x1} ${above} ${x2} ${above} ${x2} ${to.y}`,
      arrow: arrowAt(x2, to.y, 1),
    };
  }
  const isDown = to.y > from.y;
  const [y1, y2] = isDown ? [from.y + from.height, to.y] : [from.y, to.y + to.height];
  const middle = (y1 + y2) / 2;
  return {
    d: `M${x1} ${y1}C${x1} ${middle} ${x2} ${middle} ${x2} ${y2}`,
    arrow: arrowAt(x2, y2, isDown ? 1 : -1),
  };
}

const arrowAt = (x: number, y: number, down: 1 | -1): string =>
  `M${x} ${y}l${-ARROW_PX} ${-down * ARROW_PX * 1.5}h${2 * ARROW_PX}z`;

/** How a CPU's time was used. */
interface Times {
  readonly user_ns: number;
  readonly kernel_ns: number;
  readonly idle_ns: number;
  readonly iowait_ns: number;
}

/** Shares of a CPU's time since boot; all 0 before any time has passed. */
export function usedShares({ user_ns, kernel_ns, idle_ns, iowait_ns }: Times) {
  const all = Math.max(1, user_ns + kernel_ns + idle_ns + iowait_ns);
  return {
    user: user_ns / all,
    kernel: kernel_ns / all,
    iowait: iowait_ns / all,
    idle: idle_ns / all,
  };
}
