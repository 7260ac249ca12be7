// The experiment that the user edits, as the parts that the form knows. The engine checks the whole
// experiment. This module checks only its shape, so that fields unknown to the form are preserved.

import type { Refusal } from "../engine/types";
import { isTooDeep, scanJson } from "../link/json-positions";
import { EXPERIMENT_DRAFT } from "./words";

/** An experiment as JSON: the fields that the form knows, and the others unchanged. */
export interface Draft {
  readonly [field: string]: unknown;
  readonly tunables?: Readonly<Record<string, string>>;
}

/**
 * Reads a text as a draft; null if the text is not a draft, see {@link refusalsOf}. A tunable's
 * value may be a number in the text, as in the engine. In the draft it is the text that the user
 * would type.
 */
export function readDraft(text: string): Draft | null {
  const value = parsed(text);
  if (value === undefined || misshapen(value).length > 0) return null;
  const draft = value as Readonly<Record<string, unknown>>;
  const typed = (...keys: string[]) => wordsOf(text, keys);
  const { tunables, machine } = draft;
  return {
    ...draft,
    ...(isObject(machine) && { machine: withTexts(machine, typed("machine", "tunables")) }),
    ...(isObject(tunables) && { tunables: texts(tunables, typed("tunables")) }),
  };
}

type Typed = (name: string, value: number) => string;

/**
 * The text of the tunables below these keys, so that a number that JavaScript would round stays as
 * typed.
 */
function wordsOf(text: string, keys: readonly string[]): Typed {
  return (name, value) => {
    if (Number.isSafeInteger(value)) return String(value);
    const scanned = scanJson(text);
    let place = scanned.ok ? scanned.place : undefined;
    for (const key of [...keys, name]) place = place?.fields.get(key);
    const written = place && /^-?[\d.]+(e[+-]?\d+)?/i.exec(text.slice(place.offset));
    return written?.[0] ?? String(value);
  };
}

/** Tunables with numbers turned into texts; other values are left to the engine. */
const texts = (tunables: Readonly<Record<string, unknown>>, typed: Typed) =>
  Object.fromEntries(
    Object.entries(tunables).map(([name, value]) => [
      name,
      typeof value === "number" ? typed(name, value) : value,
    ]),
  ) as Record<string, string>;

const withTexts = (machine: Readonly<Record<string, unknown>>, typed: Typed) =>
  isObject(machine.tunables) ? { ...machine, tunables: texts(machine.tunables, typed) } : machine;

/**
 * The reasons why the form cannot show a text; empty if the text is a draft or is not valid JSON.
 */
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
    return [{ path: "", reason: EXPERIMENT_DRAFT.notObject(kindOf(value)) }];
  }
  const { tunables = {} } = value;
  if (!isObject(tunables)) {
    const reason = EXPERIMENT_DRAFT.tunablesNotObject(kindOf(tunables));
    return [{ path: "tunables", reason }];
  }
  return Object.entries(tunables).flatMap(([name, one]) => {
    const reason = EXPERIMENT_DRAFT.notValue(kindOf(one));
    const isWord = typeof one === "string" || typeof one === "number";
    return isWord ? [] : [{ path: `tunables.${name}`, reason }];
  });
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  const kinds: Readonly<Record<string, string>> = { string: "a text", object: "an object" };
  return kinds[typeof value] ?? EXPERIMENT_DRAFT.bareValue(String(value));
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Sets one field; `undefined` removes it. */
export function withField(draft: Draft, field: string, value: unknown): Draft {
  const { [field]: _, ...rest } = draft;
  return value === undefined ? rest : { ...draft, [field]: value };
}

/**
 * Sets one tunable; an empty text leaves it to the kernel. The experiment is no longer ready-made.
 */
export function withTunable(draft: Draft, name: string, value: string): Draft {
  const { [name]: _, ...rest } = draft.tunables ?? {};
  return { ...draft, id: "", tunables: value === "" ? rest : { ...rest, [name]: value } };
}

/**
 * The changed tunables with their new values. Null if anything else differs, or a tunable was
 * removed.
 */
export function changedTunables(before: Draft, after: Draft): ReadonlyMap<string, string> | null {
  const bare = (draft: Draft) => JSON.stringify({ ...draft, id: "", tunables: {} });
  if (bare(before) !== bare(after)) return null;
  const [old, now] = [before.tunables ?? {}, after.tunables ?? {}];
  if (Object.keys(old).some((name) => !(name in now))) return null;
  return new Map(Object.entries(now).filter(([name, value]) => old[name] !== value));
}
