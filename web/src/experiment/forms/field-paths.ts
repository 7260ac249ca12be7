// The paths of an experiment that have a field or a heading in the forms.

import type { FieldRefusals } from "./field-refusals";
import {
  DEVICE_FIELDS,
  isMachine,
  MACHINE_FIELDS,
  MEMORY_FIELDS,
  NODE_FIELDS,
  RANGE_FIELDS,
  RESERVED_FIELDS,
} from "./machine-fields";
import { at, itemsOf, type Json, type Path, pathText, type Tree } from "./tree";
import { broughtBy } from "./tunable-fields";
import {
  CGROUP_FIELDS,
  FILE_FIELDS,
  isWorkload,
  operationOf,
  PROCESS_FIELDS,
  WORKLOAD_FIELDS,
} from "./workload-fields";
import { ZONE_FIELDS } from "./zone-fields";

/** Every path in an experiment's forms, in the engine's notation. */
export function fieldPaths(
  draft: Tree,
  machine: Json | undefined,
  workload: Json | undefined,
  tunables: readonly string[],
): ReadonlySet<string> {
  const paths = new Set(["title", "kernel", "machine", "workload", "seed", "length", "patches"]);
  for (const name of tunables) paths.add(`tunables.${name}`);
  for (const i of itemsOf(draft.patches).keys()) paths.add(`patches[${i}]`);
  const add = (path: Path, fields: readonly { readonly name: string }[] = []) => {
    paths.add(pathText(path));
    for (const { name } of fields) paths.add(pathText([...path, name]));
  };
  if (isMachine(machine)) addMachine(machine, tunables, add);
  if (isWorkload(workload)) addWorkload(workload, add);
  return paths;
}

type Add = (path: Path, fields?: readonly { readonly name: string }[]) => void;

function addMachine(machine: Tree, tunables: readonly string[], add: Add): void {
  add(["machine"], MACHINE_FIELDS);
  add(["machine", "zones"]);
  for (const z of itemsOf(machine.zones).keys()) add(["machine", "zones", z], ZONE_FIELDS);
  for (const name of [...tunables, ...broughtBy(machine.tunables)]) {
    add(["machine", "tunables", name]);
  }
  for (const [n, node] of itemsOf(machine.nodes).entries()) {
    const path = ["machine", "nodes", n];
    add(path, NODE_FIELDS);
    add([...path, "reserved"], RESERVED_FIELDS);
    for (const r of itemsOf(at(node, ["ranges"])).keys()) add([...path, "ranges", r], RANGE_FIELDS);
  }
  add(["machine", "distances"]);
  for (const [from, row] of itemsOf(machine.distances).entries()) {
    for (const to of itemsOf(row).keys()) add(["machine", "distances", from, to]);
  }
  if (machine.memory !== undefined) add(["machine", "memory"], MEMORY_FIELDS);
  for (const d of itemsOf(machine.devices).keys()) add(["machine", "devices", d], DEVICE_FIELDS);
}

function addWorkload(workload: Tree, add: Add): void {
  add(["workload"], WORKLOAD_FIELDS);
  for (const i of itemsOf(workload.files).keys()) add(["workload", "files", i], FILE_FIELDS);
  for (const i of itemsOf(workload.cgroups).keys()) add(["workload", "cgroups", i], CGROUP_FIELDS);
  for (const [i, process] of itemsOf(workload.processes).entries()) {
    const path = ["workload", "processes", i];
    add(path, PROCESS_FIELDS);
    addProgram(at(process, ["program"]), [...path, "program"], add);
  }
}

function addProgram(program: Json | undefined, path: Path, add: Add): void {
  for (const [i, step] of itemsOf(program).entries()) {
    const here = [...path, i];
    add([...here, "op"]);
    add(here, operationOf(step)?.fields);
    addProgram(at(step, ["do"]), [...here, "do"], add);
  }
}

/** Is there an error at a step itself or in its fields, not counting nested steps? */
export function isStepRefused(faults: FieldRefusals, path: string): boolean {
  const inside = `${path}.do`;
  return [...faults.keys()].some(
    (other) => other === path || (other.startsWith(`${path}.`) && !other.startsWith(`${inside}[`)),
  );
}
