// Translates the log's filters between the names in a link and the numbers of the engine.

import type { LogView } from "../app/store";
import type { LogFilter } from "../engine/log";
import { NO_KIND } from "../engine/record";
import type { Words } from "../engine/sentence";

/** Does a filter select only decisions? */
export const isDecisionsOnly = ({ kinds, decisions }: LogFilter): boolean =>
  decisions === true && kinds.length === 1 && kinds[0] === NO_KIND;

/** The filter of a view; names that this machine does not know have no effect. */
export function filterOf(view: LogView, words: Words): LogFilter {
  const { events, decisions, task, zone, pages } = view;
  const kinds = events.map((name) => words.catalog.records.findIndex((kind) => kind.name === name));
  const index = zone === undefined ? -1 : words.zones.indexOf(zone);
  return {
    ...(decisions && { decisions: true }),
    kinds: decisions === "only" ? [NO_KIND] : kinds.filter((kind) => kind >= 0),
    task: task ?? null,
    zone: index < 0 ? null : index,
    pages: pages ? [pages[0], pages[1]] : null,
  };
}

/** The view of a filter. */
export function viewOf(search: string, filter: LogFilter, words: Words): LogView {
  const { kinds, decisions, task, zone, pages } = filter;
  const names = kinds.flatMap((kind) => words.catalog.records[kind]?.name ?? []);
  const key = zone === null ? undefined : words.zones[zone];
  return {
    search,
    events: names,
    ...(decisions && { decisions: isDecisionsOnly(filter) ? ("only" as const) : ("too" as const) }),
    ...(task !== null && { task }),
    ...(key !== undefined && { zone: key }),
    ...(pages && { pages: [pages[0], pages[1]] }),
  };
}

/** Does a view leave out any events? */
export const isNarrowed = ({ search, events, decisions, task, zone, pages }: LogView): boolean =>
  search.trim() !== "" ||
  events.length > 0 ||
  decisions === "only" ||
  [task, zone, pages].some((one) => one !== undefined);
