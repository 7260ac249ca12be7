import {
  type Flow,
  type MemoryRow,
  memoryRoom,
  memoryRows,
  type Served,
  SQUARE_PX,
} from "../draw/memory-nodes";
import { percent } from "../engine/format";
import type { View } from "../engine/types";
import {
  bytesWords,
  flowSentence,
  linkWords,
  rowSentence,
  servedWords,
  waitFigure,
} from "./memory-words";
import "./memory-nodes.css";
import { RichText } from "../ui/rich-text";
import { MEMORY_NODES } from "./words";

/** A square with the ring around it. */
const RING_PX = SQUARE_PX + 4;

interface MemoryNodesProps {
  readonly view: View;
  /** The view before the last manual step. */
  readonly before: View | null;
  readonly width_px: number;
}

/**
 * The memory of each node: the bytes it moved for the CPUs of each node, and the use of memory and
 * links.
 */
export function MemoryNodes({ view, before, width_px }: MemoryNodesProps) {
  const { nodes, position } = view;
  const rows = memoryRows(nodes, position.time_ns, before?.nodes ?? null);
  const room = memoryRoom(nodes.length, width_px);
  return (
    <section
      className="mem-nodes"
      aria-label={MEMORY_NODES.memoryByNode}
      style={{ minHeight: room.height_px }}
      data-tall={room.isTall || undefined}
      // A table that scrolls sideways must scroll by keyboard, too.
      tabIndex={room.isWider ? 0 : undefined}
    >
      <table style={{ minWidth: room.width_px }}>
        <caption className="label">
          <RichText
            text={MEMORY_NODES.memoryByNodeArea}
            parts={{ small: (text) => <small className="cap">{text}</small> }}
          />
        </caption>
        <thead>
          <tr>
            <th scope="col">{MEMORY_NODES.memoryBusy}</th>
            {nodes.map(({ id }) => (
              <th key={id} scope="col">
                {MEMORY_NODES.byCpusOfNode(id)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.node} style={{ height: room.row_px }}>
              <Memory row={row} />
              {row.flows.map((flow) => (
                <Cell key={flow.from} row={row} flow={flow} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** A node's memory: the share of time in use, and the wait of a new access. */
function Memory({ row }: { row: MemoryRow }) {
  return (
    <th scope="row" title={rowSentence(row)}>
      <span className="mem-head">
        <span>{MEMORY_NODES.node(row.node)}</span>
        <ServedMark of={[row]} words={servedWords(MEMORY_NODES.itsMemory, row)} />
      </span>
    </th>
  );
}

/** The bytes moved between a node's memory and the CPUs of one node. */
function Cell({ row, flow }: { row: MemoryRow; flow: Flow }) {
  const { bytes, more, side_px, isOwn, direction, link, from } = flow;
  const words = flowSentence(row.node, flow);
  const inset = (SQUARE_PX - side_px) / 2;
  return (
    <td data-memory={row.node} data-from={from} title={words}>
      <div className="flow">
        <span className="moved" aria-hidden="true">
          <svg
            width={RING_PX}
            height={RING_PX}
            viewBox={`-2 -2 ${RING_PX} ${RING_PX}`}
            aria-hidden="true"
          >
            <rect
              className={isOwn ? "ring" : "frame"}
              x={-1}
              y={-1}
              width={SQUARE_PX + 2}
              height={SQUARE_PX + 2}
              rx={isOwn ? 4 : 0}
            />
            <rect className="bytes" x={inset} y={inset} width={side_px} height={side_px} />
          </svg>
          <b>{bytesWords(bytes)}</b>
          <small className="more">{more > 0 && `+${bytesWords(more)}`}</small>
        </span>
        {direction && link && direction.busy > 0 && (
          <ServedMark of={[direction, link]} words={linkWords(direction, link)} isLink />
        )}
        <span className="sr">{words}</span>
      </div>
    </td>
  );
}

/**
 * The share of its capacity that was used since boot, as a bar. A path between nodes has two bars:
 * its direction, and the link that both directions share. After the bars comes the longest present
 * wait.
 */
function ServedMark({
  of,
  words,
  isLink = false,
}: {
  of: readonly Served[];
  words: string;
  isLink?: boolean;
}) {
  const [busy, wait] = [Math.max(...of.map((each) => each.busy)), waitFigure(of)];
  return (
    <span className="served">
      {isLink && <small aria-hidden="true">{MEMORY_NODES.link}</small>}
      <span className="mem-bars" role="img" aria-label={words}>
        {of.map((each, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: always a direction, then its link
          <span key={i} className="serves">
            <i style={{ width: `${each.busy * 100}%` }} />
          </span>
        ))}
      </span>
      <small className="num" aria-hidden="true">
        <span className="share">{percent(busy)}, </span>
        {wait}
      </small>
    </span>
  );
}
