// The mechanisms of a kernel that the engine leaves out.

import type { Catalog } from "./types";

/** Names of the kernel's mechanisms that the engine lacks: "compaction". */
const absentOf = ({ mechanisms }: Pick<Catalog, "mechanisms">, kernel: string) =>
  (mechanisms.find(([id]) => id === kernel)?.[1] ?? [])
    .filter(({ fidelity }) => fidelity === "absent")
    .map(({ name }) => name);

/** The same information as a sentence; null if the engine leaves nothing out. */
export function absentWords(catalog: Pick<Catalog, "mechanisms">, kernel: string): string | null {
  const names = absentOf(catalog, kernel);
  return names.length === 0 ? null : `Not modelled: ${names.join(", ")}.`;
}
