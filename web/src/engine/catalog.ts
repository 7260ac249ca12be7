// Accessors for catalog.json, which the engine's build writes next to the module.

import type { Catalog } from "./types";

/** Ready-made experiments by id, as canonical JSON. */
export const presetsOf = ({ presets }: Catalog): Readonly<Record<string, string>> =>
  Object.fromEntries(presets);
