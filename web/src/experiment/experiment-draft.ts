// The experiment a person is editing, as the parts the form knows. The engine judges all of it; here
// only its shape matters, so that no field the form does not know is lost.

import type { Refusal } from "../engine/types";
import { isTooDeep } from "../link/json-place";

/** An experiment as JSON: what the form knows, and the rest untouched. */
export interface Draft {
  readonly [field: string]: unknown;
  readonly tunables?: Readonly<Record<string, string>>;
}

/** Reads a text as a draft; none while it is not one, see {@link refusalsOf}. */
export function readDraft(text: string): Draft | null {
  const value = parsed(text);
  return value !== undefined && misshapen(value).length === 0 ? (value as Draft) : null;
}

/** Why the shape of a text is none the form knows; nothing where it is a draft, or no JSON to be read. */
export function refusalsOf(text: string): readonly Refusal[] {
  const value = parsed(text);
  return value === undefined ? [] : misshapen(value);
}

function parsed(text: string): unknown {
  if (isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function misshapen(value: unknown): readonly Refusal[] {
  if (!isObject(value)) {
    return [{ path: "", reason: `An experiment is fields in braces; this is ${kindOf(value)}.` }];
  }
  const { tunables = {} } = value;
  if (!isObject(tunables)) {
    const reason = `Names and values in braces are needed; this is ${kindOf(tunables)}.`;
    return [{ path: "tunables", reason }];
  }
  return Object.entries(tunables).flatMap(([name, one]) => {
    const reason = `Text in double quotes is needed, as in "256"; this is ${kindOf(one)}.`;
    return typeof one === "string" ? [] : [{ path: `tunables.${name}`, reason }];
  });
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  const kinds: Readonly<Record<string, string>> = { string: "a text", object: "an object" };
  return kinds[typeof value] ?? `the bare value ${String(value)}`;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Sets one field; none takes it away. */
export function withField(draft: Draft, field: string, value: unknown): Draft {
  const { [field]: _, ...rest } = draft;
  return value === undefined ? rest : { ...draft, [field]: value };
}

/** Sets one tunable; an empty text leaves it to the kernel. The experiment is no longer the ready-made. */
export function withTunable(draft: Draft, name: string, value: string): Draft {
  const { [name]: _, ...rest } = draft.tunables ?? {};
  return { ...draft, id: "", tunables: value === "" ? rest : { ...rest, [name]: value } };
}

/** Tunables that differ, with their new values. None when anything else differs, or one was taken away. */
export function changedTunables(before: Draft, after: Draft): ReadonlyMap<string, string> | null {
  const bare = (draft: Draft) => JSON.stringify({ ...draft, id: "", tunables: {} });
  if (bare(before) !== bare(after)) return null;
  const [old, now] = [before.tunables ?? {}, after.tunables ?? {}];
  if (Object.keys(old).some((name) => !(name in now))) return null;
  return new Map(Object.entries(now).filter(([name, value]) => old[name] !== value));
}
