// The experiment or the stored sweep that the address of the page names.

import { openLink, type Presets } from "../../link/link";
import { readFragment, type SweepAddress } from "../../link/router";
import type { Definition } from "./definition";
import * as words from "./words";

type Experiment = Definition["experiment"];

/** What an address names. */
export type Linked =
  /** Nothing: the sweep that was changed last opens. */
  | { readonly kind: "none" }
  /** An experiment, for a new sweep. */
  | { readonly kind: "experiment"; readonly experiment: Experiment }
  /** A sweep that this browser may store. */
  | { readonly kind: "stored"; readonly id: string }
  /** Something that cannot be opened, with the reason. */
  | { readonly kind: "fault"; readonly reason: string };

type Named = Extract<Linked, { kind: "experiment" | "fault" }>;

/** Reads an address. */
export function linkedBy({ x, preset, id }: SweepAddress, presets: Presets): Linked {
  if (x !== null) return packedExperiment(x, presets);
  if (id !== null) return { kind: "stored", id };
  if (preset === null) return { kind: "none" };
  if (Object.hasOwn(presets, preset)) return { kind: "experiment", experiment: preset };
  return { kind: "fault", reason: words.LINK.preset(preset) };
}

/** What a pasted address names: the experiment of a moment, of a comparison's first machine or of a sweep. */
export function linkedByPasted(text: string, presets: Presets): Named {
  const address = readFragment(text.slice(Math.max(0, text.indexOf("#"))).trim());
  const [x, preset] =
    address.page === "compare"
      ? [address.a, null]
      : address.page === "workbench" || address.page === "sweep"
        ? [address.x, address.preset ?? null]
        : [null, null];
  const linked = linkedBy({ page: "sweep", x, preset, id: null }, presets);
  return linked.kind === "experiment" || linked.kind === "fault"
    ? linked
    : { kind: "fault", reason: words.NO_LINK };
}

/** The experiment of a packed link, or why the link cannot be opened. */
function packedExperiment(packed: string, presets: Presets): Named {
  const opened = openLink(packed, presets);
  if (!opened.ok) return { kind: "fault", reason: words.LINK.packed(opened.detail) };
  return { kind: "experiment", experiment: JSON.parse(opened.link.experiment) };
}
