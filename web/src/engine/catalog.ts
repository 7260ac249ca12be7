// What the engine's build left in catalog.json, beside its module.

import type { Catalog } from "./types";

/** Ready-made experiments by id, as canonical JSON. */
export const presetsOf = ({ presets }: Catalog): Readonly<Record<string, string>> =>
  Object.fromEntries(presets);
