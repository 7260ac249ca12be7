// Places the scanners of compaction and their labels under a strip of pageblocks. Labels never
// overlap, wherever the scanners are.

import type { CompactRunView } from "../engine/types";
import {
  boxAt,
  cellOf,
  movePath,
  pagePoint,
  type StripCell,
  type StripLayout,
  scannerCell,
  type Track,
  tracks,
} from "./strip";

/** A scanner at its block. */
export interface ScannerMark {
  readonly cell: number;
  readonly words: string;
  /** Left edge of its label, the label's row, and whether the scanner moves to the right. */
  readonly label_x: number;
  readonly row: number;
  readonly isUp: boolean;
}

/** Everything drawn for a run of compaction. */
export interface RunMarks {
  readonly scanners: readonly ScannerMark[];
  /** What the scanners have scanned. */
  readonly seen: readonly Track[];
  /** Where a run with a hint began or must end. */
  readonly hint: number | null;
  /** The path of the moving page, if it is visible. */
  readonly move: { readonly path: string; readonly isDone: boolean } | null;
  /** Skipped blocks, with the word for each. */
  readonly passed: ReadonlyMap<number, string>;
}

/** The approximate width of a letter in a label. */
const LETTER_PX = 6.1;
const APART_PX = 10;

/** The marks of a run over the strip. */
export function runMarks(
  run: CompactRunView,
  cells: readonly StripCell[],
  layout: StripLayout,
  { block, types }: { readonly block: number; readonly types: readonly string[] },
): RunMarks {
  const number = (pfn: number) => Math.floor(pfn / block);
  const [migrate, free] = [run.migrate_pfn, run.free_pfn].map((pfn) => scannerCell(cells, pfn));
  const scanners = placed(
    {
      name: "migrate",
      cell: migrate ?? 0,
      number: number(Math.min(run.migrate_pfn, lastOf(cells))),
    },
    {
      name: "free",
      cell: free ?? 0,
      // The free scanner begins one block behind the last.
      number: run.free_pfn > lastOf(cells) ? null : number(run.free_pfn),
    },
    layout,
  );
  const begin = run.hint === null ? 0 : scannerCell(cells, run.hint);
  const seen = [
    ...tracks(layout, begin, migrate ?? 0),
    ...tracks(layout, free ?? 0, cells.length - 1),
  ];
  const at = run.hint ?? run.until;
  return {
    scanners,
    seen,
    hint: at === null ? null : scannerCell(cells, at),
    move: moveOf(run, cells, layout),
    passed: passedCells(run, cells, types),
  };
}

/** The last existing page. */
const lastOf = (cells: readonly StripCell[]): number => {
  const last = cells.at(-1);
  return last ? last.pfn + last.span - 1 : 0;
};

function moveOf(
  { moved }: CompactRunView,
  cells: readonly StripCell[],
  layout: StripLayout,
): RunMarks["move"] {
  if (!moved) return null;
  const from = pagePoint(layout, cells, moved.from);
  const to = pagePoint(layout, cells, moved.to);
  return from && to ? { path: movePath(layout, from, to), isDone: moved.done } : null;
}

/**
 * Skipped blocks and the last reason for each. From the middle of a block the migration scanner
 * also skips the next one.
 */
function passedCells(
  { passed }: CompactRunView,
  cells: readonly StripCell[],
  types: readonly string[],
): Map<number, string> {
  const found = new Map<number, string>();
  const mark = (cell: number, why: string) => {
    if (!found.has(cell)) found.set(cell, why);
  };
  for (const { pfn, next, migratetype, target } of passed) {
    const cell = cellOf(cells, pfn);
    if (cell === null) continue;
    const type = (types[migratetype] ?? "").toLowerCase();
    mark(cell, target ? `no page is moved here: ${type}` : `skipped: ${type}`);
    for (let more = cell + 1; !target && (cells[more]?.pfn ?? next) < next; more += 1) {
      mark(more, "skipped with the block before it");
    }
  }
  return found;
}

interface Unplaced {
  readonly name: string;
  readonly cell: number;
  /** The block of the scanner; null after the last block. */
  readonly number: number | null;
}

const wordsOf = ({ name, number }: Unplaced, isShort: boolean) =>
  `${name}${isShort ? "" : " scanner"}, ${number === null ? "at the end" : `block ${number}`}`;

/**
 * The label of the left scanner ends below the scanner, and the label of the right scanner begins
 * below it, as far as there is space. If a label does not fit, both become shorter. Scanners at one
 * block share a label.
 */
function placed(left: Unplaced, right: Unplaced, layout: StripLayout): ScannerMark[] {
  const { width, box_px, per_row } = layout;
  const rowOf = ({ cell }: Unplaced) => Math.floor(cell / per_row);
  const place = (isShort: boolean): ScannerMark[] => {
    const words = [wordsOf(left, isShort), wordsOf(right, isShort)] as const;
    const [wide, other] = [words[0].length * LETTER_PX, words[1].length * LETTER_PX];
    const isOneRow = rowOf(left) === rowOf(right);
    const end = boxAt(layout, left.cell).x + box_px;
    const left_x = clamp(end - wide, 0, width - wide - (isOneRow ? other + APART_PX : 0));
    const least = isOneRow ? left_x + wide + APART_PX : 0;
    const right_x = clamp(boxAt(layout, right.cell).x, least, width - other);
    return [
      { cell: left.cell, words: words[0], label_x: left_x, row: rowOf(left), isUp: true },
      { cell: right.cell, words: words[1], label_x: right_x, row: rowOf(right), isUp: false },
    ];
  };
  if (left.cell === right.cell) {
    const words = wordsOf({ ...left, name: "both" }, false).replace("scanner", "scanners");
    const wide = words.length * LETTER_PX;
    const middle = boxAt(layout, left.cell).x + box_px / 2;
    const [one, two] = place(true);
    const label_x = clamp(middle - wide / 2, 0, width - wide);
    return one && two
      ? [
          { ...one, words, label_x },
          { ...two, words: "" },
        ]
      : [];
  }
  const whole = place(false);
  const isPushed = whole.some(({ cell, label_x, words }) => {
    const { x } = boxAt(layout, cell);
    const end = label_x + words.length * LETTER_PX;
    return label_x > x + box_px || end < x || end > width;
  });
  return isPushed ? place(true) : whole;
}

/** If both limits conflict, `least` wins. */
const clamp = (value: number, least: number, most: number) =>
  Math.max(least, Math.min(value, most));
