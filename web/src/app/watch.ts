// Breakpoints and values to trace back, with the kernel's names, so that a link opened years later
// still means the same. `resolve` converts the names to this engine's numbers.

import { hex } from "../engine/format";
import type { Condition, StopPoint, Watched } from "../engine/protocol";
import type { Catalog, Info, View } from "../engine/types";
import type { LinkBreakpoint } from "../link/schema";
import { WATCH } from "./words";

/** Watermarks of a zone, in the engine's order. */
export const MARKS = ["min", "low", "high"] as const;
/** The properties of a page frame that can change, in the engine's order. */
export const PAGE_PARTS = ["state", "flags", "owner", "list", "any"] as const;

/** A breakpoint condition, expressed in names. */
export type Watch =
  | { readonly kind: "function"; readonly name: string }
  | { readonly kind: "line"; readonly name: string; readonly line: number }
  | { readonly kind: "event"; readonly name: string }
  | { readonly kind: "counter"; readonly name: string }
  | { readonly kind: "free"; readonly zone: string }
  | { readonly kind: "mark"; readonly zone: string; readonly mark: (typeof MARKS)[number] }
  | { readonly kind: "page"; readonly pfn: number; readonly part: (typeof PAGE_PARTS)[number] }
  | { readonly kind: "task"; readonly task: number }
  | { readonly kind: "kswapd"; readonly node: number };

/** A breakpoint of the page. */
export interface Breakpoint {
  readonly watch: Watch;
  readonly condition: Condition | null;
  readonly isOn: boolean;
  /** How often a search or playback has stopped at it. */
  readonly stops: number;
}

/** The id of a breakpoint; breakpoints with the same condition have the same id. */
export const idOf = ({ watch, condition }: Pick<Breakpoint, "watch" | "condition">): string =>
  JSON.stringify([watch, condition]);

/** Where names are looked up. */
export interface WatchContext {
  readonly catalog: Catalog;
  readonly info: Info;
  readonly view: View;
}

/** Where names of counters are looked up. */
interface CounterContext {
  readonly catalog: Pick<Catalog, "counters">;
  readonly info: Pick<Info, "zone_types">;
}

/** The engine's numbers for these names; null if this machine or kernel does not have the item. */
export function resolve(watch: Watch, known: WatchContext): Watched | null {
  const { catalog, view } = known;
  const at = (kind: Watched["kind"], a: number, b = 0): Watched | null =>
    a < 0 || b < 0 ? null : { kind, a, b };
  const zoneAt = (key: string) => view.zones.findIndex((zone) => zone.key === key);
  switch (watch.kind) {
    case "function":
      return at(
        "function",
        catalog.functions.findIndex(({ name }) => name === watch.name),
      );
    case "line": {
      const a = catalog.functions.findIndex(({ name }) => name === watch.name);
      const lines = catalog.functions[a]?.lines.length ?? 0;
      return watch.line < lines ? at("line", a, watch.line) : null;
    }
    case "event":
      return at(
        "event",
        catalog.records.findIndex(({ name }) => name === watch.name),
      );
    case "counter":
      return counterAt(watch.name, known);
    case "free":
      return at("free", zoneAt(watch.zone));
    case "mark":
      return at("below", zoneAt(watch.zone), MARKS.indexOf(watch.mark));
    case "page":
      return hasPage(known.info, watch.pfn)
        ? at("page", watch.pfn, PAGE_PARTS.indexOf(watch.part))
        : null;
    case "task":
      return at("task", watch.task);
    case "kswapd":
      return at(
        "kswapd",
        view.nodes.findIndex(({ id }) => id === watch.node),
      );
  }
}

const hasPage = ({ nodes }: Info, pfn: number) =>
  nodes.some(({ ranges }) => ranges.some(([first, pages]) => pfn >= first && pfn < first + pages));

/** A zone type's name at the end of a counter's name. */
export const endOf = (zoneType: string) =>
  zoneType === "HighMem" ? "high" : zoneType.toLowerCase();

/** The engine's numbers for a counter; null if this machine has no such counter. */
export function counterAt(
  name: string,
  { catalog: { counters }, info }: CounterContext,
): Watched | null {
  const ends = {
    machine: [""],
    zone_type: info.zone_types.map((type) => `_${endOf(type)}`),
    memory: ["_anon", "_file"],
  };
  for (const [a, counter] of counters.entries()) {
    const b = ends[counter.per].findIndex((end) => counter.name + end === name);
    if (b >= 0) return { kind: "counter", a, b };
  }
  return null;
}

/** The description of the counter with this name, if the engine has one. */
export function aboutCounter(name: string, known: CounterContext): string {
  const at = counterAt(name, known);
  return (at && known.catalog.counters[at.a]?.about) ?? "";
}

/** The condition of a breakpoint, in words. */
export function watchWords(watch: Watch, taskName: (id: number) => string): string {
  switch (watch.kind) {
    case "function":
      return WATCH.isCalled(watch.name);
    case "line":
      return WATCH.line(watch.name, watch.line + 1);
    case "event":
      return `event ${watch.name}`;
    case "counter":
      return WATCH.changes(watch.name);
    case "free":
      return WATCH.freePagesInChange(watch.zone);
    case "mark":
      return WATCH.crossesItsWatermark(watch.zone, watch.mark);
    case "page":
      return `page ${hex(watch.pfn)}: ${watch.part === "any" ? "anything" : watch.part} changes`;
    case "task":
      return WATCH.changesState(taskName(watch.task));
    case "kswapd":
      return WATCH.kswapdWakesOrSleeps(watch.node);
  }
}

/** The breakpoints for the worker: those that are on and that this machine has. */
export function stopPoints(breakpoints: readonly Breakpoint[], known: WatchContext): StopPoint[] {
  return breakpoints.flatMap((breakpoint) => {
    const watched = breakpoint.isOn ? resolve(breakpoint.watch, known) : null;
    return watched ? [{ id: idOf(breakpoint), watched, condition: breakpoint.condition }] : [];
  });
}

/** A breakpoint in the form of a link. */
export const toLink = ({ watch, condition, isOn }: Breakpoint): LinkBreakpoint => ({
  watch,
  ...(condition && { condition }),
  ...(!isOn && { off: true as const }),
});

/** A breakpoint from a link. */
export const fromLink = ({ watch, condition, off }: LinkBreakpoint): Breakpoint => ({
  watch,
  condition: condition ?? null,
  isOn: !off,
  stops: 0,
});
