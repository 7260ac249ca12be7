// What a kernel has and the engine leaves out.

import type { Catalog } from "./types";

/** Names of a kernel's mechanisms that are absent here: "compaction". */
const absentOf = ({ mechanisms }: Pick<Catalog, "mechanisms">, kernel: string) =>
  (mechanisms.find(([id]) => id === kernel)?.[1] ?? [])
    .filter(({ fidelity }) => fidelity === "absent")
    .map(({ name }) => name);

/** The same in words; null where nothing is left out. */
export function absentWords(catalog: Pick<Catalog, "mechanisms">, kernel: string): string | null {
  const names = absentOf(catalog, kernel);
  return names.length === 0 ? null : `Not modelled: ${names.join(", ")}.`;
}
