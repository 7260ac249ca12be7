// An experiment as a tree of JSON, changed at one place. All other values stay as written, so that
// fields unknown to the forms are not lost.

/** A parsed JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | Tree;
/** An object of JSON. */
export interface Tree {
  readonly [field: string]: Json;
}

/** A path in a tree, from the outermost key inwards. */
export type Path = readonly (string | number)[];

/** Is it an object? */
export const isTree = (value: unknown): value is Tree =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The items of a list; empty if the value is not a list. */
export const itemsOf = (value: Json | undefined): readonly Json[] =>
  Array.isArray(value) ? value : [];

/** A path in the engine's notation: `workload.processes[0].name`. */
export const pathText = (path: Path): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    return text === "" ? part : `${text}.${part}`;
  }, "");

/** The value at a path, if any. */
export function at(value: Json | undefined, path: Path): Json | undefined {
  let here = value;
  for (const part of path) {
    if (typeof part === "number") here = itemsOf(here)[part];
    else here = isTree(here) ? here[part] : undefined;
  }
  return here;
}

/** The tree with another value at a path; `undefined` removes the value. */
export function withAt(value: Json | undefined, path: Path, next: Json | undefined): Json {
  const [part, ...rest] = path;
  if (part === undefined) return next ?? null;
  if (typeof part === "number") {
    const items = [...itemsOf(value)];
    if (rest.length === 0 && next === undefined) items.splice(part, 1);
    else items[part] = withAt(items[part], rest, next);
    return items;
  }
  const tree = isTree(value) ? value : {};
  if (rest.length === 0 && next === undefined) {
    const { [part]: _, ...others } = tree;
    return others;
  }
  return { ...tree, [part]: withAt(tree[part], rest, next) };
}

/** A list with one item moved up (-1) or down (1); the same list if that is impossible. */
export function moved<T>(items: readonly T[], from: number, by: -1 | 1): readonly T[] {
  const to = from + by;
  if (to < 0 || to >= items.length || from < 0 || from >= items.length) return items;
  const copy = [...items];
  const [item] = copy.splice(from, 1);
  copy.splice(to, 0, item as T);
  return copy;
}

/**
 * Updates paths into a list after its items got new indices, or null if they were removed; other
 * paths stay the same.
 */
export function renumbered(
  places: ReadonlySet<string>,
  list: string,
  to: (index: number) => number | null,
): ReadonlySet<string> {
  const next = new Set<string>();
  for (const place of places) {
    const inside = place.startsWith(`${list}[`) ? place.slice(list.length + 1) : null;
    const number = inside === null ? null : to(Number.parseInt(inside, 10));
    if (inside === null) next.add(place);
    else if (number !== null) next.add(`${list}[${number}${inside.slice(inside.indexOf("]"))}`);
  }
  return next;
}
