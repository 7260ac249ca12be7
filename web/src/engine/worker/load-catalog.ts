// Loads the engine's texts in a worker that runs an engine.

import catalogUrl from "../pkg/catalog.json?url";
import type { Catalog } from "../types";

/** The engine's texts and ready-made experiments, from a file of the same build next to the module. */
export async function loadCatalog(): Promise<Catalog> {
  const response = await fetch(catalogUrl);
  if (!response.ok) throw new Error(`the engine's texts did not load (${response.status})`);
  return response.json();
}
