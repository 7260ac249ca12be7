// Texts about pageblocks and compaction.

import { contentsOf, isWhole, type StripCell, USUAL_BLOCK } from "../draw/strip";
import { count, counted, hex, orderWords, size } from "../engine/format";
import type { CompactRunView, Info, PageblocksView } from "../engine/types";

/** The reason why there are no scanners; null if this kernel compacts. */
export function absentWords({ compaction }: Pick<Info, "compaction">): string | null {
  if (compaction === "here") return null;
  return compaction === "not_built"
    ? "No compaction: this kernel was built without it."
    : "Compaction of this kernel is not modelled.";
}

/**
 * The number of pageblocks in a zone, and how many could be huge pages, are huge pages, or cannot
 * be. For a big machine, also how many form one column, and the size of blocks that are larger than
 * usual.
 */
export function blocksWords(cells: readonly StripCell[], info: Info): string {
  const blocksIn = ({ types }: StripCell) => types.reduce((a, b) => a + b, 0);
  const blocks = cells.reduce((sum, cell) => sum + blocksIn(cell), 0);
  const each = size(2 ** info.pageblock_order, info.page_size);
  const all = `${counted(blocks, "block")} of ${each}`;
  if (cells.some(({ states }) => states === null)) {
    const usual = (2 ** info.pageblock_order * info.page_size) / USUAL_BLOCK;
    const together = Math.max(0, ...cells.map(blocksIn));
    if (together > 1) return `${all}, ${count(together)} per column`;
    return usual > 1 ? `${all}, each as large as ${counted(usual, "block")} of 2\u202fMiB` : all;
  }
  const [whole, given, spoiled] = [isWhole, isGiven, isSpoiled].map(
    (is) => cells.filter(is).length,
  );
  return `${all}: ${count(whole ?? 0)} free, ${count(given ?? 0)} allocated whole, ${count(spoiled ?? 0)} with an unmovable page`;
}

/** A shorter text for a small machine. */
export function shortBlocksWords(cells: readonly StripCell[], info: Info): string {
  if (cells.some(({ states }) => states === null)) return blocksWords(cells, info);
  const [whole, given, spoiled] = [isWhole, isGiven, isSpoiled].map(
    (is) => cells.filter(is).length,
  );
  return `${count(whole ?? 0)} of ${count(cells.length)} free, ${count(given ?? 0)} allocated, ${count(spoiled ?? 0)} with unmovable`;
}

const isGiven = (cell: StripCell) => cell.isGiven;

/** Does it contain an unmovable page, so that the block cannot become free? */
const isSpoiled = (cell: StripCell): boolean => !cell.isGiven && contentsOf(cell).unmovable > 0;

/** A block, its type and its contents. */
export function cellWords(
  cell: StripCell,
  { pageblock_order, migratetypes }: Info,
  passed: string | undefined,
): string {
  const block = 2 ** pageblock_order;
  const first = Math.floor(cell.pfn / block);
  const last = Math.floor((cell.pfn + cell.span - 1) / block);
  const which = last > first ? `blocks ${count(first)} to ${count(last)}` : `block ${count(first)}`;
  const types = migratetypes.filter((_, type) => (cell.types[type] ?? 0) > 0);
  const { free, movable, unmovable, isolated } = contentsOf(cell);
  const held = cell.isGiven
    ? "allocated whole"
    : `${count(free)} free, ${count(movable)} movable in use, ${count(unmovable)} unmovable, ${count(isolated)} isolated`;
  const range = `${hex(cell.pfn)} to ${hex(cell.pfn + cell.span - 1)}`;
  return `${which}, ${range}, ${types.join(" and ").toLowerCase()}: ${held}${passed ? `; ${passed}` : ""}`;
}

const FOR: Readonly<Record<NonNullable<CompactRunView["by"]>, string>> = {
  request: "for its own request",
  reclaim: "after a batch it reclaimed",
  kswapd: "after its reclaim run",
  hand: "triggered by hand",
};

/** The purpose of a run, and its mode. */
export function runWords(run: CompactRunView, info: Info): string {
  const { by, order, sync, movable_only, end } = run;
  const what = order === null ? "the whole zone" : `for ${orderWords(order, info.page_size)}`;
  const how = sync ? "synchronous" : "asynchronous";
  const only = movable_only ? ", movable blocks only" : "";
  const verb = end === null ? "compacts" : "compacted";
  return `${verb} ${what}${by ? `, ${FOR[by]}` : ""}; ${how}${only}${hintWords(run, info)}.`;
}

/** Where a run with a hint began or must end. */
function hintWords({ hint, until }: CompactRunView, { pageblock_order }: Info): string {
  const at = (pfn: number) => count(Math.floor(pfn / 2 ** pageblock_order));
  if (hint !== null) return `, from hint block ${at(hint)}`;
  return until === null ? "" : `, up to hint block ${at(until)}`;
}

const ENDS: Readonly<Record<NonNullable<CompactRunView["end"]>, string>> = {
  met: "The scanners met: the whole zone was scanned.",
  round: "The run returned to its hint: the whole zone was scanned.",
  found: "A large enough block is free.",
  early: "The run ended before the scanners met.",
};

/** The pages that it has isolated and moves, or how it ended. */
export function doingWords({ isolated, targets, moved, end }: CompactRunView): string {
  const moveWords = moved
    ? `${moved.done ? "moved" : "moving"} ${hex(moved.from)} to ${hex(moved.to)}`
    : "";
  if (end !== null) return `${ENDS[end]}${moveWords ? ` Last page: ${moveWords}.` : ""}`;
  const held = `${count(isolated)} isolated, ${counted(targets, "free target")}`;
  return moveWords ? `${held}; ${moveWords}.` : `${held}.`;
}

/** The block skipped last, and the reason. */
export function passedWords(
  { passed }: CompactRunView,
  { pageblock_order, migratetypes }: Info,
): string | null {
  const [last] = passed;
  if (!last) return null;
  const block = 2 ** pageblock_order;
  const [at, next] = [last.pfn, last.next].map((pfn) => Math.floor(pfn / block));
  const type = (migratetypes[last.migratetype] ?? "").toLowerCase();
  return last.target
    ? `No page is moved to block ${count(at ?? 0)}: its type is ${type}.`
    : `The scanner skips block ${count(at ?? 0)}, which is ${type}, and continues at block ${count(next ?? 0)}.`;
}

/** How long a zone is deferred; empty if the next request compacts it. */
export const deferWords = ({ considered, defer_limit }: PageblocksView): string | null =>
  considered < defer_limit - 1
    ? `Deferred after a failure: the kernel has skipped ${count(considered)} of ${counted(defer_limit, "attempt")}.`
    : null;
