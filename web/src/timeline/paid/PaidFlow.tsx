import { type KeyboardEvent, useMemo, useRef, useState } from "react";
import { type FlowLayout, type FlowNode, layOutFlow, OTHERS } from "../../draw/flow";
import type { Paid } from "../../engine/paid";
import { useLaidOut } from "../../ui/laid-out";
import { flowsOf } from "./measures";
import { MEASURE_WORDS, type MeasureName, PAID } from "./words";

/** The height of a label of two lines, px. */
const SLOT = 28;
const NODE = 10;
const GAP = 10;
/** Space above the nodes for the names of the columns, px. */
const TOP = 22;
/** The height of a node through which everything flows, px. */
const WHOLE = 150;
/** The width of a character of a label, px. */
const CHARACTER = 6.6;

const nodeKey = ({ column, name }: Pick<FlowNode, "column" | "name">) => `${column} ${name}`;
const words = (name: string) => (name === OTHERS ? PAID.others : name);

/** Amounts that flow from the task that needed memory to the task that worked, and to the owner of pages. */
export function PaidFlow({ paid, measure }: { paid: Paid; measure: MeasureName }) {
  const room = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLaidOut(room, (element) => setWidth(element.clientWidth));
  const flows = useMemo(() => flowsOf(paid, measure), [paid, measure]);
  const layout = useMemo(
    () => layOutFlow(flows, { width, whole: WHOLE, node: NODE, gap: GAP, slot: SLOT }),
    [flows, width],
  );
  const { name, amount } = MEASURE_WORDS[measure];
  const total = flows.reduce((all, flow) => all + flow.amount, 0);
  if (total === 0) return <p className="else">{PAID.empty(name)}</p>;
  return (
    <figure className="paid-figure">
      <figcaption>{PAID.diagram(name, amount(total))}</figcaption>
      <div ref={room} className="paid-room" style={{ minHeight: layout.height + TOP }}>
        {width > 0 && (
          <Diagram key={measure} layout={layout} width={width} total={total} amount={amount} />
        )}
      </div>
    </figure>
  );
}

function Diagram({
  layout: { height, nodes, bands },
  width,
  total,
  amount,
}: {
  layout: FlowLayout;
  width: number;
  total: number;
  amount: (amount: number) => string;
}) {
  const [hovered, setHovered] = useState<string | null>(null);
  const [pinned, setPinned] = useState<string | null>(null);
  const chosen = hovered ?? pinned;
  const [stop, setStop] = useState(() => (nodes[0] ? nodeKey(nodes[0]) : ""));
  const svg = useRef<SVGSVGElement>(null);
  const columns = 1 + Math.max(0, ...nodes.map(({ column }) => column));
  const pin = (node: FlowNode) =>
    setPinned((last) => (last === nodeKey(node) ? null : nodeKey(node)));
  const move = (event: KeyboardEvent) => {
    const from = nodes.find((node) => nodeKey(node) === stop);
    if (from && ["Enter", " "].includes(event.key)) {
      event.preventDefault();
      pin(from);
      return;
    }
    const to = from && neighbourOf(nodes, from, event.key);
    if (!to) return;
    event.preventDefault();
    setStop(nodeKey(to));
    svg.current?.querySelector<SVGGElement>(`[data-node="${CSS.escape(nodeKey(to))}"]`)?.focus();
  };
  const isLit = ({ column, from, to }: FlowLayout["bands"][number]) =>
    chosen === nodeKey({ column, name: from }) ||
    chosen === nodeKey({ column: column + 1, name: to });
  const labelRoom = Math.floor(((width / columns) * 0.9 - NODE) / CHARACTER);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a figure cannot be a fieldset
    <svg
      ref={svg}
      className="paid-flow"
      width={width}
      height={height + TOP}
      role="group"
      aria-label={PAID.keys}
      onKeyDown={move}
    >
      {PAID.columns.slice(0, columns).map((title, column) => (
        <text key={title} className="paid-head" y={11} {...labelAt(column, columns, width)}>
          {title}
        </text>
      ))}
      <g transform={`translate(0 ${TOP})`}>
        {bands.map((band) => (
          <path
            key={`${band.column} ${band.from} ${band.to}`}
            className={isLit(band) ? "paid-band lit" : "paid-band"}
            d={band.path}
          />
        ))}
        {nodes.map((node) => (
          // biome-ignore lint/a11y/useSemanticElements: a button of HTML cannot be part of a drawing
          <g
            key={nodeKey(node)}
            data-node={nodeKey(node)}
            className="paid-node"
            role="button"
            aria-pressed={nodeKey(node) === pinned}
            tabIndex={nodeKey(node) === stop ? 0 : -1}
            aria-label={PAID.node(
              words(node.name),
              PAID.columns[node.column] ?? "",
              amount(node.amount),
              node.amount / total,
            )}
            onFocus={() => {
              setStop(nodeKey(node));
              setHovered(nodeKey(node));
            }}
            onBlur={() => setHovered(null)}
            onPointerEnter={() => setHovered(nodeKey(node))}
            onPointerLeave={() => setHovered(null)}
            onClick={() => pin(node)}
          >
            <NodeMark node={node} columns={columns} width={width} room={labelRoom}>
              {amount(node.amount)}
            </NodeMark>
          </g>
        ))}
      </g>
    </svg>
  );
}

/** A node, its name, and its amount if there is room for a second line. */
function NodeMark({
  node,
  columns,
  width,
  room,
  children,
}: {
  node: FlowNode;
  columns: number;
  width: number;
  /** The number of characters that fit in a label. */
  room: number;
  children: string;
}) {
  const { column, x, y, height } = node;
  const place = labelAt(column, columns, width);
  const middle = y + Math.max(height, 2) / 2;
  const name = words(node.name);
  const short = name.length > room ? `${name.slice(0, Math.max(1, room - 1))}…` : name;
  return (
    <>
      <rect className="paid-hit" x={x - 7} y={middle - 13} width={NODE + 14} height={26} />
      <rect className="paid-mark" x={x} y={y} width={NODE} height={Math.max(height, 2)} />
      <text y={middle - 3} {...place}>
        {short}
      </text>
      <text className="paid-amount" y={middle + 11} {...place}>
        {children}
      </text>
    </>
  );
}

/** Labels stand next to their nodes, inside the diagram. */
function labelAt(column: number, columns: number, width: number) {
  if (column === columns - 1) {
    return { x: width - NODE - 6, textAnchor: "end" } as const;
  }
  const x = (column * (width - NODE)) / Math.max(1, columns - 1) + NODE + 6;
  return { x, textAnchor: "start" } as const;
}

/** The node that an arrow key reaches: above or below, or the nearest of the next column. */
function neighbourOf(
  nodes: readonly FlowNode[],
  from: FlowNode,
  key: string,
): FlowNode | undefined {
  const middle = (node: FlowNode) => node.y + node.height / 2;
  const column = nodes.filter((node) => node.column === from.column);
  const at = column.indexOf(from);
  if (key === "ArrowDown") return column[at + 1];
  if (key === "ArrowUp") return column[at - 1];
  const by = { ArrowRight: 1, ArrowLeft: -1 }[key];
  if (!by) return undefined;
  const distance = (node: FlowNode) => Math.abs(middle(node) - middle(from));
  return nodes
    .filter((node) => node.column === from.column + by)
    .sort((a, b) => distance(a) - distance(b))[0];
}
