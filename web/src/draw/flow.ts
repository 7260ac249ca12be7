// A flow diagram: amounts that pass through columns of nodes, as bands between them. The height of
// a node is the larger of the incoming and the outgoing amount.

/** An amount that flows through one node of each column. */
export interface Flow {
  /** Names of nodes, one for each column. */
  readonly path: readonly string[];
  readonly amount: number;
}

/** A node with its position. */
export interface FlowNode {
  readonly column: number;
  readonly name: string;
  readonly amount: number;
  readonly x: number;
  readonly y: number;
  readonly height: number;
}

/** A band from a node to a node of the next column. */
interface FlowBand {
  readonly column: number;
  readonly from: string;
  readonly to: string;
  readonly amount: number;
  readonly path: string;
}

/** A diagram. */
export interface FlowLayout {
  /** The height of its tallest column, px. */
  readonly height: number;
  readonly nodes: readonly FlowNode[];
  readonly bands: readonly FlowBand[];
}

/** The size of a diagram, px. */
export interface FlowSize {
  readonly width: number;
  /** The height of a node through which everything flows. */
  readonly whole: number;
  /** Width of a node, and the space between two nodes of a column. */
  readonly node: number;
  readonly gap: number;
  /** The least height that a node takes with its label. */
  readonly slot: number;
}

/** The name of the node that stands for all small ones of its column. */
export const OTHERS = "\u2026";

const sumOf = (flows: readonly Flow[]) => flows.reduce((sum, { amount }) => sum + amount, 0);

/** Amounts by name, the largest first; equal ones by name. */
function amountsOf(flows: readonly Flow[], column: number): [string, number][] {
  const amounts = new Map<string, number>();
  for (const { path, amount } of flows) {
    const name = path[column] ?? "";
    amounts.set(name, (amounts.get(name) ?? 0) + amount);
  }
  // The node "others" comes last, whatever its amount.
  const rank = ([name, amount]: [string, number]) => (name === OTHERS ? -1 : amount);
  return [...amounts].sort((a, b) => rank(b) - rank(a) || (a[0] < b[0] ? -1 : 1));
}

/** Joins the small nodes of each column to one, so that no column has more than `most`. */
export function joinSmall(flows: readonly Flow[], most: number): Flow[] {
  const columns = flows[0]?.path.length ?? 0;
  const shown = Array.from({ length: columns }, (_, column) => {
    const names = amountsOf(flows, column).map(([name]) => name);
    return new Set(names.length > most ? names.slice(0, most - 1) : names);
  });
  const joined = new Map<string, Flow>();
  for (const { path, amount } of flows) {
    const names = path.map((name, column) => (shown[column]?.has(name) ? name : OTHERS));
    const key = JSON.stringify(names);
    joined.set(key, { path: names, amount: amount + (joined.get(key)?.amount ?? 0) });
  }
  return [...joined.values()];
}

/** Places nodes and bands. Flows without an amount are left out. */
export function layOutFlow(all: readonly Flow[], size: FlowSize): FlowLayout {
  const flows = all.filter(({ amount }) => amount > 0);
  const columns = flows[0]?.path.length ?? 0;
  const byColumn = Array.from({ length: columns }, (_, column) => amountsOf(flows, column));
  const px = size.whole / Math.max(1, sumOf(flows));
  let height = 0;
  const nodes = byColumn.flatMap((amounts, column) => {
    const x = columns > 1 ? (column * (size.width - size.node)) / (columns - 1) : 0;
    let y = 0;
    return amounts.map(([name, amount]): FlowNode => {
      const slot = Math.max(amount * px, size.slot);
      // A node that is smaller than its label is centred on the label.
      const placed = { column, name, amount, x, y: y + (slot - amount * px) / 2 };
      height = Math.max(height, y + slot);
      y += slot + size.gap;
      return { ...placed, height: amount * px };
    });
  });
  return { height, nodes, bands: bandsOf(flows, nodes, px, size.node) };
}

/** The bands between neighbouring columns, in the order of the nodes at both ends. */
function bandsOf(
  flows: readonly Flow[],
  nodes: readonly FlowNode[],
  px: number,
  width: number,
): FlowBand[] {
  const left = new Map(nodes.map((node) => [node, 0]));
  const right = new Map(nodes.map((node) => [node, 0]));
  const amounts = new Map<string, number>();
  for (const { path, amount } of flows) {
    for (let column = 0; column + 1 < path.length; column += 1) {
      const key = JSON.stringify([column, path[column], path[column + 1]]);
      amounts.set(key, (amounts.get(key) ?? 0) + amount);
    }
  }
  const bands: FlowBand[] = [];
  for (const from of nodes) {
    for (const to of nodes.filter(({ column }) => column === from.column + 1)) {
      const amount = amounts.get(JSON.stringify([from.column, from.name, to.name]));
      if (!amount) continue;
      const height = amount * px;
      const y0 = from.y + (right.get(from) ?? 0);
      const y1 = to.y + (left.get(to) ?? 0);
      right.set(from, y0 - from.y + height);
      left.set(to, y1 - to.y + height);
      const path = bandPath([from.x + width, y0], [to.x, y1], height);
      bands.push({ column: from.column, from: from.name, to: to.name, amount, path });
    }
  }
  return bands;
}

const number = (value: number) => String(Math.round(value * 100) / 100);

/** The outline of a band of one height between two vertical edges. */
function bandPath([x0, y0]: [number, number], [x1, y1]: [number, number], height: number): string {
  const middle = (x0 + x1) / 2;
  const curve = (from: number, to: number, end: number) =>
    `C${[middle, from, middle, to, end, to].map(number).join(" ")}`;
  return [
    `M${number(x0)} ${number(y0)}`,
    curve(y0, y1, x1),
    `V${number(y1 + height)}`,
    curve(y1 + height, y0 + height, x0),
    "Z",
  ].join("");
}
