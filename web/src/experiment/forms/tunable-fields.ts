// A kernel's tunables as fields: those that an experiment sets, and those that the machine sets.

import type { TunableView } from "../../engine/types";
import type { FieldInfo } from "./fields";
import { isTree, type Json } from "./tree";
import { TUNABLE_FIELDS } from "./words";

/** A tunable as a field; the default is `usual` if given, otherwise the kernel's value. */
export function tunableField(
  { name, about, unit, limits, default: own }: TunableView,
  usual: string = own,
): FieldInfo {
  const sentence = `${about.charAt(0).toUpperCase()}${about.slice(1).replace(/\.$/, "")}.`;
  const field = { name, title: name, usual };
  if (/^-?\d+ to \d+$/.test(limits)) {
    return { ...field, about: `${sentence} ${rangeWords(limits, unit)}`, as: { kind: "text" } };
  }
  if (!limits.includes(", ")) return { ...field, about: sentence, as: { kind: "text" } };
  const of = limits.split(", ").map((word) => [word, word] as const);
  return { ...field, about: sentence, as: { kind: "choice", of } };
}

/** "0 to 2,147,483,647, in 10 ms." */
function rangeWords(limits: string, unit: string): string {
  const [least = "", most = ""] = limits.split(" to ");
  return TUNABLE_FIELDS.limits(Number(least), Number(most), unit);
}

/** Names of the tunables that a machine sets. */
export const broughtBy = (tunables: Json | undefined): readonly string[] =>
  isTree(tunables) ? Object.keys(tunables) : [];

/**
 * The tunables that a machine may set: the kernel's tunables, and tunables that are already set but
 * unknown to the kernel.
 */
export function machineTunables(
  known: readonly TunableView[],
  tunables: Json | undefined,
): readonly FieldInfo[] {
  // The experiment has fields with the same names, so the accessible names must differ.
  const title = (name: string) => `${name} (machine)`;
  const unknown = broughtBy(tunables).filter((name) => known.every((one) => one.name !== name));
  return [
    ...known.map((one) => ({ ...tunableField(one), title: title(one.name) })),
    ...unknown.map((name) => ({
      name,
      title: title(name),
      about: TUNABLE_FIELDS.unknown,
      as: { kind: "text" } as const,
      usual: "not set",
    })),
  ];
}
