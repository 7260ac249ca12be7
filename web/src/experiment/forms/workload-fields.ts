// The workload language as fields: their order, and the initial values of a new step, process and
// file.

import { type Schema, typeNamed, typeNameOf, whole } from "../../engine/schema";
import type { FieldInfo } from "./fields";
import { fieldsOf, fieldsOfType } from "./schema-fields";
import { at, isTree, itemsOf, type Json, type Tree } from "./tree";

/** An operation of a program. */
export interface Operation {
  readonly op: string;
  /** Its purpose, in one sentence. */
  readonly about: string;
  readonly fields: readonly FieldInfo[];
  /** A new step with empty fields. */
  readonly blank: Tree;
}

/** The order of optional fields, which follow the required ones. */
const LATER = ["count", "size", "file", "pages", "chunk", "order"];

/** The operations of a schema, in its order. */
export const operationsOf = ({ oneOf = [] }: Schema): readonly Operation[] =>
  oneOf.map((schema) => {
    const { properties = {}, required = [], description: about = "" } = schema;
    const op = String(properties.op?.const);
    const later = LATER.filter((name) => name in properties && !required.includes(name));
    const first = [...required, ...later];
    return { op, about, fields: fieldsOf(schema, first, ["op"]), blank: blankOf(schema, op) };
  });

/** The required fields, and the example values that the schema gives for a new step. */
function blankOf({ properties = {}, required = [] }: Schema, op: string): Tree {
  const given = Object.entries(properties).filter(
    ([name, field]) => name !== "op" && (required.includes(name) || field?.examples),
  );
  const values = given.map(([name, field]) => [name, exampleOf(name, field ?? {})] as const);
  return { op, ...Object.fromEntries(values) };
}

function exampleOf(name: string, schema: Schema): Json {
  const { examples, type, minimum } = whole(schema);
  const [example] = examples ?? [];
  if (example !== undefined) return example as Json;
  if (typeNameOf(schema) === "Time") return "1ms";
  if (typeNameOf(schema) === "Size") return 1;
  if (type === "integer") return minimum ?? 0;
  if (type === "boolean") return false;
  return type === "array" ? [] : name;
}

/** All operations. */
export const OPERATIONS = operationsOf(typeNamed("Step"));

/** The operation of a step, if it exists. */
export const operationOf = (step: Json): Operation | undefined =>
  isTree(step) ? OPERATIONS.find(({ op }) => op === step.op) : undefined;

/** A file, or a series of files. */
export const FILE_FIELDS = fieldsOfType("FileSet", ["name", "size", "count", "absent"]);

/** A memory cgroup. */
export const CGROUP_FIELDS = fieldsOfType("Cgroup", [
  "name",
  "parent",
  "memory.max",
  "memory.high",
  "memory.low",
  "memory.min",
  "memory.swap.max",
  "memory.oom.group",
]);

/** One kind of process. */
export const PROCESS_FIELDS = fieldsOfType("Process", [
  "name",
  "cgroup",
  "count",
  "node",
  "start",
  "own",
]);

/** The title and description of the workload. */
export const WORKLOAD_FIELDS = fieldsOfType("Workload", ["title", "about"], ["id"]);

/** A new process. */
export const NEW_PROCESS: Tree = {
  name: "worker",
  count: 1,
  program: [
    { op: "map", region: "heap", size: "10%" },
    { op: "touch", region: "heap" },
  ],
};
/** A new memory cgroup. */
export const NEW_CGROUP: Tree = { name: "group", "memory.max": "25%" };
/** A new file. */
export const NEW_FILE: Tree = { name: "data", size: "10%" };

/** The item with an unused name: the same name with a number appended. */
export function freeName(items: readonly Json[], item: Tree): Tree {
  const taken = new Set(items.map((other) => at(other, ["name"])));
  const name = String(item.name);
  for (let n = 1; ; n += 1) {
    const tried = n === 1 ? name : `${name}${n}`;
    if (!taken.has(tried)) return { ...item, name: tried };
  }
}

/** Can the form show all of it? */
export const isWorkload = (value: Json | undefined): value is Tree =>
  isTree(value) &&
  Array.isArray(value.processes) &&
  (value.files === undefined || Array.isArray(value.files)) &&
  itemsOf(value.files).every(isTree) &&
  (value.cgroups === undefined || Array.isArray(value.cgroups)) &&
  itemsOf(value.cgroups).every(isTree) &&
  value.processes.every((process) => isTree(process) && isProgram(process.program));

const isProgram = (value: Json | undefined): boolean =>
  Array.isArray(value) &&
  value.every((step) => isTree(step) && (step.do === undefined || isProgram(step.do)));
