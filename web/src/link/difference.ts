// The difference between two JSON values as a list of paths, so that a link names a ready-made
// experiment and contains only the differences. Arrays are replaced as a whole.

/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A path and the value set there; without a value, the field is removed. */
export type Change = [path: string[], value: Json] | [path: string[]];

const isObject = (value: Json | undefined): value is { [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The changes that turn `from` into `to`. */
export function difference(from: Json, to: Json): Change[] {
  const changes: Change[] = [];
  collect(from, to, [], changes);
  return changes;
}

function collect(from: Json | undefined, to: Json, path: string[], changes: Change[]): void {
  if (!isObject(from) || !isObject(to)) {
    if (JSON.stringify(from) !== JSON.stringify(to)) changes.push([path, to]);
    return;
  }
  for (const key of Object.keys(from)) {
    if (!Object.hasOwn(to, key)) changes.push([[...path, key]]);
  }
  for (const [key, value] of Object.entries(to)) {
    collect(Object.hasOwn(from, key) ? from[key] : undefined, value, [...path, key], changes);
  }
}

/** Applies changes to a copy of `base`; undefined if a path does not exist. */
export function applyChanges(base: Json, changes: readonly Change[]): Json | undefined {
  let root: Json = structuredClone(base);
  for (const [path, ...value] of changes) {
    const last = path.at(-1);
    if (last === undefined) {
      root = value[0] ?? null;
      continue;
    }
    let parent: Json | undefined = root;
    for (const key of path.slice(0, -1)) {
      parent = isObject(parent) && Object.hasOwn(parent, key) ? parent[key] : undefined;
    }
    if (!isObject(parent)) return undefined;
    if (value.length === 0) delete parent[last];
    // Uses defineProperty, because a key such as __proto__ must stay an ordinary key.
    else
      Object.defineProperty(parent, last, {
        value: value[0],
        writable: true,
        enumerable: true,
        configurable: true,
      });
  }
  return root;
}
