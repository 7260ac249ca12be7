// An experiment as a tree of JSON, changed at a place. What is not changed stays as it was written, so
// that nothing the forms do not know is lost.

/** JSON as it is read. */
export type Json = string | number | boolean | null | readonly Json[] | Tree;
/** An object of JSON. */
export interface Tree {
  readonly [field: string]: Json;
}

/** A place in a tree, from the outside in. */
export type Path = readonly (string | number)[];

/** Is it an object? */
export const isTree = (value: unknown): value is Tree =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The items of a list; none where it is none. */
export const itemsOf = (value: Json | undefined): readonly Json[] =>
  Array.isArray(value) ? value : [];

/** A place as the engine names it: `workload.processes[0].name`. */
export const pathText = (path: Path): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    return text === "" ? part : `${text}.${part}`;
  }, "");

/** What stands at a place, if anything. */
export function at(value: Json | undefined, path: Path): Json | undefined {
  let here = value;
  for (const part of path) {
    if (typeof part === "number") here = itemsOf(here)[part];
    else here = isTree(here) ? here[part] : undefined;
  }
  return here;
}

/** The tree with something else at a place; none takes away what stands there. */
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

/** A list with one item further up (-1) or down (1); the same list where there is no such place. */
export function moved<T>(items: readonly T[], from: number, by: -1 | 1): readonly T[] {
  const to = from + by;
  if (to < 0 || to >= items.length || from < 0 || from >= items.length) return items;
  const copy = [...items];
  const [item] = copy.splice(from, 1);
  copy.splice(to, 0, item as T);
  return copy;
}

/** Places in a list after its items got other numbers, or (null) went; other places stay. */
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
