// The experiment a person is editing, as the parts the form knows. The engine judges all of it; here
// only its shape matters, so that no field the form does not know is lost.

/** An experiment as JSON: what the form knows, and the rest untouched. */
export interface Draft {
  readonly [field: string]: unknown;
  readonly tunables?: Readonly<Record<string, string>>;
}

/** Reads a text as a draft; none while it is not one. */
export function readDraft(text: string): Draft | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  return isObject(value) && isTunables(value.tunables) ? (value as Draft) : null;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isTunables = (value: unknown): boolean =>
  value === undefined ||
  (isObject(value) && Object.values(value).every((one) => typeof one === "string"));

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
