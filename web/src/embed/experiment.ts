// Reads what a host passes as an experiment.

import { bareLink, type Link, openLink, type Presets } from "../link/link";
import { readFragment } from "../link/router";
import type { Experiment } from "./api";
import { words } from "./words";

/** An experiment that the engine can check, and the link that named its moment. */
export type Asked =
  | { readonly ok: true; readonly link: Link }
  | { readonly ok: false; readonly fault: string };

/** Reads a preset's id, a link, JSON text or an object. */
export function readExperiment(experiment: Experiment, presets: Presets): Asked {
  if (typeof experiment !== "string") return ofText(JSON.stringify(experiment));
  const text = experiment.trim();
  if (text.startsWith("{")) return ofText(text);
  const fragment = text.indexOf("#");
  return fragment < 0 ? ofPreset(text, presets) : ofLink(text.slice(fragment), presets);
}

const ofText = (json: string): Asked => ({ ok: true, link: bareLink(json) });

function ofPreset(id: string, presets: Presets): Asked {
  const json = Object.hasOwn(presets, id) ? presets[id] : undefined;
  return json === undefined ? { ok: false, fault: words.unknownPreset(id) } : ofText(json);
}

function ofLink(fragment: string, presets: Presets): Asked {
  const address = readFragment(fragment);
  if (address.page !== "workbench") return { ok: false, fault: words.notWorkbench };
  if (address.x !== null) {
    const opened = openLink(address.x, presets);
    return opened.ok ? opened : { ok: false, fault: opened.detail };
  }
  if (address.preset) return ofPreset(address.preset, presets);
  return { ok: false, fault: words.emptyLink };
}
