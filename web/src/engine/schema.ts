// The JSON Schema of an experiment's fields, generated from the engine's types during its build.

import written from "./pkg/experiment.schema.json";

/** The schema of a value; the engine's `schema.rs` documents the fields that begin with `x-`. */
export interface Schema {
  readonly $ref?: string | undefined;
  readonly type?: string | readonly string[] | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly const?: unknown;
  readonly default?: unknown;
  readonly enum?: readonly unknown[] | undefined;
  readonly examples?: readonly unknown[] | undefined;
  readonly anyOf?: readonly Schema[] | undefined;
  readonly oneOf?: readonly Schema[] | undefined;
  readonly items?: Schema | undefined;
  readonly properties?: { readonly [field: string]: Schema | undefined } | undefined;
  readonly required?: readonly string[] | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly "x-unit"?: string | undefined;
  readonly "x-left-out"?: string | undefined;
  readonly "x-words"?: readonly string[] | undefined;
  readonly "x-ready-made"?: readonly string[] | undefined;
  readonly "x-published"?: { readonly [name: string]: string | undefined } | undefined;
}

/** An experiment. */
export const EXPERIMENT: Schema = written;
const TYPES: { readonly [name: string]: Schema | undefined } = written.$defs;

/** A type of the engine, by its name. */
export function typeNamed(name: string): Schema {
  const found = TYPES[name];
  if (!found) throw new Error(`the schema has no type ${name}`);
  return found;
}

/** The name of the type a field refers to. */
export const typeNameOf = ({ $ref }: Schema): string | undefined => $ref?.split("/").at(-1);

/** A field's schema merged with that of its type; the field's own entries take precedence. */
export function whole(schema: Schema): Schema {
  const name = typeNameOf(schema);
  return name === undefined ? schema : { ...typeNamed(name), ...schema };
}
