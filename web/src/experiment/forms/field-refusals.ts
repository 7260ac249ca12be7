// Places an error at the field that the engine names, or at the nearest enclosing part.

import type { Refusal } from "../../engine/types";

/** The error at each path of a form. */
export type FieldRefusals = ReadonlyMap<string, string>;

/** The enclosing path; null for the outermost one. */
function around(path: string): string | null {
  const cut = Math.max(path.lastIndexOf("."), path.lastIndexOf("["));
  return cut > 0 ? path.slice(0, cut) : null;
}

/**
 * Assigns errors to paths for which `has` is true: they have a field or a heading. The text of an
 * error that concerns a deeper value names its own path. Errors without any path are returned
 * separately.
 */
export function refusalsByField(
  refusals: readonly Refusal[],
  has: (path: string) => boolean,
): { readonly faults: FieldRefusals; readonly rest: readonly Refusal[] } {
  const faults = new Map<string, string>();
  const rest: Refusal[] = [];
  for (const refusal of refusals) {
    let path: string | null = refusal.path;
    while (path !== null && !has(path)) path = around(path);
    if (path === null) {
      rest.push(refusal);
      continue;
    }
    const reason = path === refusal.path ? refusal.reason : `${refusal.path}: ${refusal.reason}`;
    const before = faults.get(path);
    faults.set(path, before === undefined ? reason : `${before}; ${reason}`);
  }
  return { faults, rest };
}

/** Is there an error at a path or below it? */
export const isRefused = (faults: FieldRefusals, path: string): boolean =>
  [...faults.keys()].some(
    (other) => other === path || other.startsWith(`${path}.`) || other.startsWith(`${path}[`),
  );
