// Processes by nodes as a matrix of squares (a Hinton diagram). The area of a square is the share
// of the process's memory on the node; the length of its ring is the share of its threads there.

/** The data of a process. */
interface Process {
  readonly task: number;
  readonly name: string;
  /** Pages by node, in the order of the nodes. */
  readonly pages: readonly number[];
  /** Threads by node, and how many of them run or wait for a CPU. */
  readonly threads: readonly number[];
  readonly running: readonly number[];
  readonly scans: number;
}

/** A process on one node. */
export interface NodeShare {
  readonly node: number;
  readonly pages: number;
  readonly threads: number;
  readonly running: number;
  /** Side of its square, px. */
  readonly side_px: number;
  /** The drawn part of the ring: the share of its threads. */
  readonly ring: number;
}

/** A process on all nodes. */
export interface ProcessRow {
  readonly task: number;
  readonly name: string;
  readonly pages: number;
  readonly threads: number;
  readonly scans: number;
  /** The share of its pages that are on the node of its threads, averaged over the threads;
   * null if it has no page or no thread. */
  readonly local: number | null;
  readonly places: readonly NodeShare[];
}

/** The least side of a square, so that small shares are visible. */
const LEAST_SIDE_PX = 2;

/** The rows of all processes, with squares of at most `most_px`. */
export function processRows(
  processes: readonly Process[],
  nodes: readonly { readonly id: number }[],
  most_px: number,
): readonly ProcessRow[] {
  return processes.map(({ task, name, scans, ...of }) => {
    const [pages, threads] = [sum(of.pages), sum(of.threads)];
    const places = nodes.map(({ id }, i): NodeShare => {
      const here = { pages: of.pages[i] ?? 0, threads: of.threads[i] ?? 0 };
      return {
        node: id,
        ...here,
        running: of.running[i] ?? 0,
        side_px: sideOf(here.pages, pages, most_px),
        ring: threads === 0 ? 0 : here.threads / threads,
      };
    });
    const both = sum(places.map((place) => place.pages * place.threads));
    const local = pages * threads === 0 ? null : both / (pages * threads);
    return { task, name, pages, threads, scans, local, places };
  });
}

const sum = (some: readonly number[]): number => some.reduce((all, n) => all + n, 0);

/** Side of a square whose area is `part` of `whole`. */
function sideOf(part: number, whole: number, most_px: number): number {
  if (part === 0 || whole === 0) return 0;
  return Math.max(LEAST_SIDE_PX, most_px * Math.sqrt(part / whole));
}

/** The available room. */
interface HintonRoom {
  readonly width_px: number;
  readonly hasTouch: boolean;
}

/** The layout of a matrix. */
export interface HintonLayout {
  /** Side of a cell, and of the largest square in it. */
  readonly cell_px: number;
  readonly square_px: number;
  /** Width of the names on the left, and of the local shares on the right. */
  readonly name_px: number;
  readonly local_px: number;
  readonly width_px: number;
  readonly height_px: number;
}

const NAME_PX = 84;
const LOCAL_PX = 52;
/** Sides of cells: for few processes, for many, and for touch. */
const CELL = { few: 34, many: 24, finger: 44 };
const MOST_LARGE = 4;
/** Room for the ring and its gap around the largest square. */
const RING_PX = 6;

/** Lays out a matrix of processes by nodes. */
export function hintonLayout(processes: number, nodes: number, room: HintonRoom): HintonLayout {
  const size_px = room.hasTouch ? CELL.finger : processes > MOST_LARGE ? CELL.many : CELL.few;
  const fits = Math.floor((room.width_px - NAME_PX - LOCAL_PX) / Math.max(1, nodes));
  const cell_px = Math.max(CELL.many, Math.min(size_px, fits));
  return {
    cell_px,
    square_px: cell_px - RING_PX,
    name_px: NAME_PX,
    local_px: LOCAL_PX,
    width_px: NAME_PX + nodes * cell_px + LOCAL_PX,
    height_px: processes * cell_px,
  };
}

/** The ring of a cell, from the middle of its top: a square with round corners. */
export function ringPath({ cell_px }: HintonLayout): string {
  const [inset, radius] = [1.5, 6];
  const [low, high, middle] = [inset, cell_px - inset, cell_px / 2];
  const arc = (x: number, y: number) => `A${radius} ${radius} 0 0 1 ${x} ${y}`;
  return [
    `M${middle} ${low}H${high - radius}${arc(high, low + radius)}`,
    `V${high - radius}${arc(high - radius, high)}`,
    `H${low + radius}${arc(low, high - radius)}`,
    `V${low + radius}${arc(low + radius, low)}Z`,
  ].join("");
}
