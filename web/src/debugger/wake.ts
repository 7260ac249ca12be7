// Of a decision that woke kswapd: every zone that was looked at and failed, with its numbers.

import { MARKS } from "../engine/sentence";
import type { View, Why, ZoneView } from "../engine/types";

/** A mark a zone's free pages are compared with. */
type Mark = "min" | "low" | "high";

/** A zone that did not pass. */
export interface Failed {
  readonly key: string;
  readonly free: number;
  /** How many of them the test counts, where it says so and not all do. */
  readonly counted: number | null;
  readonly mark: Mark;
  /** The mark in pages. */
  readonly pages: number;
  /** Pages kept back in it for other requests, which count on top of the mark. */
  readonly kept: number;
}

/** What a wake-up recorded. */
interface Woken {
  /** Index of the zone that was asked about. */
  readonly zone: number;
  readonly mark: Mark;
  /** Free pages that count. */
  readonly value: number;
  /** Pages kept back there. */
  readonly kept: number;
}

/** The one place that knows how a wake-up is recorded; null for any other decision. */
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
    kept: numberOf("kept_back"),
  };
}

/**
 * The zones none of which passed, the one asked about first. Where lists belong to nodes kswapd
 * sleeps on while any zone up to that one passes; where they belong to zones, that one is asked alone.
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
  const type = typeOf(asked, woken.kept);
  const of = (zone: ZoneView): Failed => ({
    key: zone.key,
    free: zone.free,
    counted: zone === asked && woken.value !== zone.free ? woken.value : null,
    mark: woken.mark,
    pages: zone[woken.mark],
    kept: zone === asked ? woken.kept : (zone.protection[type] ?? 0),
  });
  return [of(asked), ...others.map(of)];
}

/** The class of zones that is meant: the highest for which so much is kept back in this one. */
const typeOf = (zone: ZoneView, kept: number) =>
  zone.protection.reduce((found, pages, type) => (pages === kept ? type : found), 0);
