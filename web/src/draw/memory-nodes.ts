// Memory by node as a matrix: a row for the memory of each node, a square for the CPUs of each. The
// size of the matrix depends only on the number of nodes and the available space, so nothing moves
// during a run.

/** The link between a node's memory and the CPUs of another. */
interface Link {
  readonly node: number;
  readonly direction_busy_ns: number;
  readonly direction_queue_ns: number;
  readonly link_busy_ns: number;
  readonly link_queue_ns: number;
}

/** The data of a node and its memory. */
export interface MemoryNode {
  readonly id: number;
  readonly memory: {
    /** Bytes moved since boot, by the node of the CPU, in the order of the nodes. */
    readonly bytes: readonly number[];
    readonly busy_ns: number;
    readonly queue_ns: number;
    readonly links: readonly Link[];
  } | null;
}

/** A resource that serves one access after another. */
export interface Served {
  /** Share of the time since boot during which it was busy. */
  readonly busy: number;
  /** How long an access that arrives now waits for it, ns. */
  readonly queue_ns: number;
}

/** The bytes moved between a node's memory and the CPUs of one node. */
export interface Flow {
  /** Node of the CPUs. */
  readonly from: number;
  readonly isOwn: boolean;
  readonly bytes: number;
  /** Bytes moved by the last step. */
  readonly more: number;
  /** Side of its square: the area is the share of the largest. */
  readonly side_px: number;
  /**
   * The link in this direction, and the part shared by both directions; null for the node's own
   * CPUs.
   */
  readonly direction: Served | null;
  readonly link: Served | null;
}

/** The memory of one node. */
export interface MemoryRow extends Served {
  readonly node: number;
  readonly flows: readonly Flow[];
}

/** Side of the largest square. */
export const SQUARE_PX = 18;
/** The least side of a square, so that small amounts are visible. */
const LEAST_SIDE_PX = 2;

/** The rows of all nodes whose memory has rates; empty on other machines. */
export function memoryRows(
  nodes: readonly MemoryNode[],
  time_ns: number,
  before: readonly MemoryNode[] | null = null,
): readonly MemoryRow[] {
  const most = Math.max(0, ...nodes.flatMap(({ memory }) => memory?.bytes ?? []));
  const share = (busy_ns: number) => (time_ns > 0 ? Math.min(1, busy_ns / time_ns) : 0);
  return nodes.flatMap(({ id, memory }, row) => {
    if (!memory) return [];
    const earlier = before?.[row]?.memory?.bytes;
    const flows = nodes.map(({ id: from }, i): Flow => {
      const bytes = memory.bytes[i] ?? 0;
      const link = memory.links.find(({ node }) => node === from);
      return {
        from,
        isOwn: from === id,
        bytes,
        more: Math.max(0, bytes - (earlier?.[i] ?? bytes)),
        side_px: sideOf(bytes, most),
        direction: link
          ? { busy: share(link.direction_busy_ns), queue_ns: link.direction_queue_ns }
          : null,
        link: link ? { busy: share(link.link_busy_ns), queue_ns: link.link_queue_ns } : null,
      };
    });
    return [{ node: id, flows, busy: share(memory.busy_ns), queue_ns: memory.queue_ns }];
  });
}

/** Side of a square whose area is `bytes` of `most`. */
function sideOf(bytes: number, most: number): number {
  if (bytes === 0 || most === 0) return 0;
  return Math.max(LEAST_SIDE_PX, Math.round(SQUARE_PX * Math.sqrt(bytes / most)));
}

/** The layout of the matrix. */
export interface MemoryRoom {
  /**
   * Whether the links between nodes are shown below the bytes moved on them instead of next to
   * them.
   */
  readonly isTall: boolean;
  /**
   * With many nodes and little space the matrix is wider than its container and scrolls sideways.
   */
  readonly isWider: boolean;
  readonly width_px: number;
  readonly row_px: number;
  readonly height_px: number;
}

/** The widths of a cell with its link next to it and with its link below it, and the width before
    the first cell. */
const BESIDE_PX = 300;
const BELOW_PX = 118;
const HEAD_PX = { beside: 232, below: 108 };
const LINES = { title: 25, names: 18, low: 26, tall: 44 };

/** The layout of a matrix of `nodes` nodes in a room. */
export function memoryRoom(nodes: number, width_px: number): MemoryRoom {
  const isTall = HEAD_PX.beside + nodes * BESIDE_PX > width_px;
  const row_px = isTall ? LINES.tall : LINES.low;
  const least_px = HEAD_PX.below + nodes * BELOW_PX;
  return {
    isTall,
    isWider: least_px > width_px,
    width_px: Math.max(width_px, least_px),
    row_px,
    height_px: LINES.title + LINES.names + nodes * row_px,
  };
}
