// Changes of a workload's memory cgroups that affect more than one place: processes and other
// cgroups refer to a cgroup by its name.

import type { FieldInfo } from "./fields";
import { at, isTree, itemsOf, type Json, type Tree } from "./tree";

const nameOf = (group: Json | undefined): string => {
  const name = at(group, ["name"]);
  return typeof name === "string" ? name : "";
};

/** The names of a workload's cgroups, in order. */
export const cgroupNames = (workload: Tree): readonly string[] =>
  itemsOf(workload.cgroups).map(nameOf);

/** The same tree with another value, or without the field. */
function withField(value: Json, field: string, next: Json | undefined): Json {
  if (!isTree(value)) return value;
  const { [field]: _, ...others } = value;
  return next === undefined ? others : { ...others, [field]: next };
}

/** The workload in which everything that referred to one cgroup refers to another, or to the root. */
function referring(workload: Tree, from: string, to: Json | undefined): Tree {
  const changed = (field: string) => (item: Json) =>
    at(item, [field]) === from ? withField(item, field, to) : item;
  const cgroups = itemsOf(workload.cgroups).map(changed("parent"));
  const processes = itemsOf(workload.processes).map(changed("cgroup"));
  return { ...workload, cgroups, processes };
}

/**
 * Renames a cgroup. Processes and cgroups inside it follow, unless another cgroup has the old or
 * the new name: then it is unclear which of the two they mean.
 */
export function renamedCgroup(workload: Tree, index: number, name: string): Tree {
  const names = cgroupNames(workload);
  const old = names[index];
  if (old === undefined) return workload;
  const isClear = names.every((other, i) => i === index || (other !== old && other !== name));
  const cgroups = itemsOf(workload.cgroups).map((group, i) =>
    i === index ? withField(group, "name", name) : group,
  );
  const renamed = { ...workload, cgroups };
  return isClear && old !== "" ? referring(renamed, old, name) : renamed;
}

/** Removes a cgroup. Its processes and the cgroups inside it move to the cgroup above it. */
export function withoutCgroup(workload: Tree, index: number): Tree {
  const group = itemsOf(workload.cgroups)[index];
  const cgroups = itemsOf(workload.cgroups).filter((_, i) => i !== index);
  const rest = { ...workload, cgroups };
  const isOnly = !cgroupNames(rest).includes(nameOf(group));
  const left = isOnly ? referring(rest, nameOf(group), at(group, ["parent"])) : rest;
  if (itemsOf(left.cgroups).length > 0) return left;
  const { cgroups: _, ...others } = left;
  return others;
}

/** A field whose value is the name of a cgroup. */
export const cgroupChoice = (info: FieldInfo, names: readonly string[]): FieldInfo => ({
  ...info,
  as: { kind: "choice", of: names.map((name) => [name, name] as const) },
});
