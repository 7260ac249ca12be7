// Loading the engine's texts where an engine runs: in a worker.

import catalogUrl from "../pkg/catalog.json?url";
import type { Catalog } from "../types";

/** The engine's texts and ready-made experiments, a file of the same build beside its module. */
export async function loadCatalog(): Promise<Catalog> {
  const response = await fetch(catalogUrl);
  if (!response.ok) throw new Error(`the engine's texts did not load (${response.status})`);
  return response.json();
}
