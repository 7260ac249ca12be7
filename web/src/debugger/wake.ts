// For a decision that woke kswapd: every zone that was checked and failed, with its numbers.

import { MARKS } from "../engine/sentence";
import type { View, Why, ZoneView } from "../engine/types";

/** A watermark with which a zone's free pages are compared. */
type Mark = "min" | "low" | "high";

/** A zone that failed the check. */
export interface Failed {
  readonly key: string;
  readonly free: number;
  /** How many of these pages the check counts, if the record says so and not all pages count. */
  readonly counted: number | null;
  readonly mark: Mark;
  /** The watermark in pages. */
  readonly pages: number;
  /** Pages of the zone that are reserved from this request; they are added to the watermark. */
  readonly reserved: number;
}

/** The record of a wake-up. */
interface Woken {
  /** Index of the zone that was checked. */
  readonly zone: number;
  readonly mark: Mark;
  /** Free pages that count. */
  readonly value: number;
  /** Pages reserved there. */
  readonly reserved: number;
}

/** Reads the record of a wake-up; null for any other decision. */
function wokenBy({ name, fields }: Why): Woken | null {
  if (!/^WakeKswapd(Kept|Order)?$/.test(name)) return null;
  const numberOf = (field: string) => {
    const value = fields.find((each) => each.name === field)?.value;
    return typeof value === "number" ? value : 0;
  };
  const mark = MARKS[numberOf("mark")];
  if (!mark) return null;
  return {
    zone: numberOf("zone"),
    mark,
    value: numberOf("counted"),
    reserved: numberOf("kept_back"),
  };
}

/**
 * The zones that failed, beginning with the zone of the record. If LRU lists belong to nodes,
 * kswapd stays asleep while any zone up to that zone passes the check. If LRU lists belong to
 * zones, the kernel checks only that zone.
 */
export function failedZones({ why, zones, lru }: Pick<View, "why" | "zones" | "lru">): Failed[] {
  const woken = why && wokenBy(why);
  const asked = woken && zones[woken.zone];
  if (!asked) return [];
  const hasNodeLists = lru.some(({ key }) => !key.includes("/"));
  const at = zones.indexOf(asked);
  const others = hasNodeLists
    ? zones.filter(({ node }, i) => node === asked.node && i < at).reverse()
    : [];
  const type = typeOf(asked, woken.reserved);
  const of = (zone: ZoneView): Failed => ({
    key: zone.key,
    free: zone.free,
    counted: zone === asked && woken.value !== zone.free ? woken.value : null,
    mark: woken.mark,
    pages: zone[woken.mark],
    reserved: zone === asked ? woken.reserved : (zone.protection[type] ?? 0),
  });
  return [of(asked), ...others.map(of)];
}

/** The class of zones of the request: the highest one with this reserve in this zone. */
const typeOf = (zone: ZoneView, reserved: number) =>
  zone.protection.reduce((found, pages, type) => (pages === reserved ? type : found), 0);
