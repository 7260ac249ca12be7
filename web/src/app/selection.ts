// Computes what a selected or hovered key highlights. An event highlights everything that it
// concerns: its key contains the task, the zone and the page, so the key means the same in every
// view.

import type { Run } from "../engine/run";
import { keysOf } from "../story/telling";
import type { Key, WorkbenchState } from "./store";

/** Identifies an event of a run and the items that it concerns. */
export interface EventId {
  /** The step right after it. */
  readonly step: number;
  /** Index of its kind. */
  readonly kind: number;
  readonly task: number;
  /** Index of its zone; -1 if it has none. */
  readonly zone: number;
  readonly pfn: number | null;
}

/** The longest key that a link accepts. */
export const MOST_KEY = 32;
const DIGITS = 36;

/** The key of an event: its numbers, short enough for a link. */
export const eventKey = ({ step, kind, task, zone, pfn }: EventId): Key =>
  `event ${[step, kind, task, zone + 1, pfn === null ? 0 : pfn + 1].map((n) => n.toString(DIGITS)).join(".")}`;

/** Index of an event's kind; undefined if the key is not an event's. */
export const eventKind = (key: Key): number | undefined =>
  key.startsWith("event ") ? Number.parseInt(key.split(".")[1] ?? "", DIGITS) : undefined;

interface Lookup {
  readonly session: Run | null;
}

/** An event and everything that it concerns; for any other key, only the key itself. */
function litBy(key: Key, { session }: Lookup): readonly Key[] {
  if (!key.startsWith("event ")) return [key];
  const numbers = key.slice(6).split(".");
  const [, , task = 0, zone = 0, page = 0] = numbers.map((n) => Number.parseInt(n, DIGITS));
  const zoneKey = session?.frame?.view.zones[zone - 1]?.key;
  return [
    key,
    `task ${task}`,
    ...(zoneKey ? [`zone ${zoneKey}` as const] : []),
    ...(page > 0 ? [`page ${page - 1}` as const] : []),
  ];
}

const known = new WeakMap<readonly Key[], readonly [unknown, readonly Key[]]>();

/** Everything that some keys highlight; the same list as long as keys and machine stay the same. */
function litByAll(keys: readonly Key[], state: Lookup): readonly Key[] {
  if (!keys.some((key) => key.startsWith("event "))) return keys;
  const info = state.session?.info;
  const before = known.get(keys);
  if (before && before[0] === info) return before[1];
  const lit = [...new Set(keys.flatMap((key) => litBy(key, state)))];
  known.set(keys, [info, lit]);
  return lit;
}

/** Whether the function in which a record was made is selected or hovered. */
export const isMadeLit = (
  fn: string | null,
  { selected, hovered }: Pick<WorkbenchState, "selected" | "hovered">,
): boolean => fn !== null && (selected.includes(`fn ${fn}`) || hovered === `fn ${fn}`);

const NONE: readonly Key[] = [];
/** The maximum number of stored lists with one key. */
const MOST_ALONE = 64;
/** Lists of one key, so that the same key always gives the same list. */
const alone = new Map<Key, readonly Key[]>();

function listOf(key: Key): readonly Key[] {
  const before = alone.get(key);
  if (before) return before;
  if (alone.size >= MOST_ALONE) alone.clear();
  const list = [key];
  alone.set(key, list);
  return list;
}

/** Everything highlighted as selected. */
export const litSelected = (state: Lookup & Pick<WorkbenchState, "selected">): readonly Key[] =>
  litByAll(state.selected, state);

/** Everything highlighted as hovered. */
export function litHovered(state: Lookup & Pick<WorkbenchState, "hovered">): readonly Key[] {
  const { hovered } = state;
  return hovered === null ? NONE : litByAll(listOf(hovered), state);
}

/** Everything that the shown moment of the story concerns. */
export const litByStory = ({ story }: Pick<WorkbenchState, "story">): readonly Key[] =>
  story.now ? keysOf(story.now) : NONE;
