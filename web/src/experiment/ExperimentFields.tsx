import { type ReactNode, useId, useRef } from "react";
import { useWorkbenchState } from "../app/context";
import { count, size } from "../engine/format";
import type { Presets } from "../engine/load-parts";
import { EXPERIMENT } from "../engine/schema";
import type { Choice, TunableView } from "../engine/types";
import { type Draft, withField, withTunable } from "./experiment-draft";
import { LooseField } from "./forms/FormField";
import type { FieldRefusals } from "./forms/field-refusals";
import { useFocus } from "./forms/form";
import { MachineForm } from "./forms/MachineForm";
import { isMachine, pageBytes } from "./forms/machine-fields";
import { PartForm } from "./forms/PartForm";
import { PatchFields } from "./forms/PatchFields";
import { own } from "./forms/parts";
import { fieldOf, titleOf } from "./forms/schema-fields";
import { at, itemsOf, type Json, type Tree } from "./forms/tree";
import { tunableField } from "./forms/tunable-fields";
import { WorkloadForm } from "./forms/WorkloadForm";
import { isWorkload } from "./forms/workload-fields";
import { EXPERIMENT_FIELDS } from "./words";

const NO_CHOICES: readonly Choice[] = [];
const NO_TUNABLES: readonly TunableView[] = [];

interface FieldsProps {
  readonly draft: Draft;
  readonly faults: FieldRefusals;
  /** The ready-made parts; null until they have loaded. */
  readonly parts: Presets | null;
  readonly failure: string | null;
  /** The descriptions of the experiment's machine and workload, if they are known. */
  readonly machine: Json | undefined;
  readonly workload: Json | undefined;
  /** Receives the new draft and the path of the change. */
  readonly change: (draft: Draft, where: string) => void;
}

/** The experiment's parts and all tunables of its kernel, with explanations. */
export function ExperimentFields({ draft, faults, change, ...inside }: FieldsProps) {
  const catalog = useWorkbenchState(({ engine }) =>
    engine.kind === "ready" ? engine.catalog : null,
  );
  const kernel = textOf(draft.kernel);
  const tunables = catalog?.tunables.find(([id]) => id === kernel)?.[1] ?? NO_TUNABLES;
  const brought = (name: string) => at(inside.machine, ["tunables", name]);
  const fault = (path: string) => faults.get(path);
  const set = (field: string) => (value: unknown) =>
    change(withField({ ...draft, id: "" }, field, value), field);
  const part = (field: string) => ({
    ...described(field),
    value: textOf(draft[field]),
    fault: fault(field),
    set: set(field),
  });
  return (
    <>
      <div className="option-fields">
        <Select choices={catalog?.kernels ?? NO_CHOICES} {...part("kernel")} />
        <Select
          choices={catalog?.machines ?? NO_CHOICES}
          own={ownWords(draft.machine)}
          {...part("machine")}
        />
        <Select
          choices={catalog?.workloads ?? NO_CHOICES}
          own={ownWords(draft.workload)}
          {...part("workload")}
        />
        <Text {...part("seed")} set={(value) => set("seed")(wholeNumber(value) ?? value)} />
        <Text {...part("length")} />
        <Text {...part("title")} />
      </div>
      <Inside draft={draft} faults={faults} change={change} tunables={tunables} {...inside} />
      <h3>{EXPERIMENT_FIELDS.tunables}</h3>
      <div className="option-fields">
        {tunables.map((tunable) => (
          <LooseField
            key={tunable.name}
            info={tunableField(tunable, textOf(brought(tunable.name)) || undefined)}
            value={draft.tunables?.[tunable.name] ?? ""}
            fault={fault(`tunables.${tunable.name}`)}
            set={(value) =>
              change(withTunable(draft, tunable.name, value), `tunables.${tunable.name}`)
            }
          />
        ))}
      </div>
    </>
  );
}

/** The title and the explanation of a field of the experiment. */
function described(field: string): Pick<OneProps, "title" | "about"> {
  const schema = EXPERIMENT.properties?.[field] ?? {};
  const { title, about } = fieldOf(field, schema, true) ?? {
    title: titleOf(field, schema),
    about: schema.description ?? "",
  };
  return { title, about };
}

/** The patches, and the contents of the machine and the workload. */
function Inside({
  draft,
  faults,
  parts,
  failure,
  machine,
  workload,
  tunables,
  change,
}: FieldsProps & { readonly tunables: readonly TunableView[] }) {
  const box = useRef<HTMLDivElement>(null);
  const focus = useFocus(box);
  const page_bytes = pageBytes(machine);
  const chosen = itemsOf(draft.patches as Json).filter((id) => typeof id === "string");
  const part = (base: "machine" | "workload", tree: Tree | null) => ({
    base,
    tree,
    isReadyMade: typeof draft[base] === "string",
    faults,
    page_bytes,
    focus,
    edit: (make: (tree: Tree) => Tree, where?: string) => {
      if (!tree) return;
      const next = make(own(draft[base], tree));
      change(
        withField({ ...draft, id: "" }, base, next),
        where ?? `${base}, ${JSON.stringify(next)}`,
      );
    },
  });
  if (!parts) {
    return <p role="status">{failure ?? EXPERIMENT_FIELDS.loading}</p>;
  }
  return (
    <div ref={box} className="form-parts">
      <PatchFields
        patches={parts.patches}
        kernel={textOf(draft.kernel) || null}
        chosen={chosen}
        faults={chosen.map((_, i) => faults.get(`patches[${i}]`))}
        change={(ids) =>
          change(
            withField({ ...draft, id: "" }, "patches", ids.length > 0 ? ids : undefined),
            `patches ${ids.join()}`,
          )
        }
      />
      <PartForm
        {...part("machine", isMachine(machine) ? machine : null)}
        note={machineNote(machine)}
      >
        <MachineForm tunables={tunables} />
      </PartForm>
      <PartForm
        {...part("workload", isWorkload(workload) ? workload : null)}
        note={workloadNote(workload)}
      >
        <WorkloadForm />
      </PartForm>
    </div>
  );
}

const many = (n: number, word: string) => `${count(n)} ${word}${n === 1 ? "" : "s"}`;

/** "2 nodes, 12.0 GiB, 24 CPUs". */
function machineNote(machine: Json | undefined): string {
  const nodes = itemsOf(at(machine, ["nodes"]));
  const sum = (numbers: readonly (Json | undefined)[]) =>
    numbers.reduce<number>((all, n) => all + (typeof n === "number" ? n : 0), 0);
  const ranges = nodes.flatMap((node) => itemsOf(at(node, ["ranges"])));
  const pages = sum(ranges.map((range) => at(range, ["pages"])));
  const cpus = sum(nodes.map((node) => at(node, ["cpus"])));
  return [many(nodes.length, "node"), size(pages, pageBytes(machine)), many(cpus, "CPU")].join(
    ", ",
  );
}

function workloadNote(workload: Json | undefined): string {
  const processes = itemsOf(at(workload, ["processes"]));
  return processes
    .map((process) => at(process, ["name"]))
    .filter((name) => typeof name === "string")
    .join(", ");
}

/** The text shown instead of a name, for a part that is described in full. */
function ownWords(value: unknown): string {
  const title = at(value as Json, ["title"]);
  return typeof value === "string" ? "" : `your own${title ? `: ${String(title)}` : ""}`;
}

const textOf = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";

const wholeNumber = (text: string) => (/^\d{1,15}$/.test(text.trim()) ? Number(text) : undefined);

interface OneProps {
  readonly title: string;
  readonly about: string;
  readonly value: string;
  readonly fault: string | undefined;
  readonly set: (value: string) => void;
}

function Field({
  id,
  title,
  about,
  fault,
  children,
}: Pick<OneProps, "title" | "about" | "fault"> & { id: string; children: ReactNode }) {
  return (
    <div className="option">
      <label htmlFor={id}>{title}</label>
      {children}
      <p id={`${id}-about`} className={fault ? "fault" : undefined}>
        {fault ?? about}
      </p>
    </div>
  );
}

function Text(field: OneProps) {
  const id = useId();
  return (
    <Field id={id} {...field}>
      <input
        id={id}
        className="field"
        value={field.value}
        aria-invalid={field.fault !== undefined}
        aria-describedby={`${id}-about`}
        onChange={(event) => field.set(event.currentTarget.value)}
      />
    </Field>
  );
}

/**
 * A part that is described in full has no name in the menu; it stays until the user chooses another
 * part.
 */
function Select({
  choices,
  own = "",
  ...field
}: OneProps & { choices: readonly Choice[]; own?: string }) {
  const id = useId();
  const isKnown = choices.some((choice) => choice.id === field.value);
  return (
    <Field id={id} {...field}>
      <select
        id={id}
        className="field"
        value={isKnown ? field.value : "\u0000"}
        aria-invalid={field.fault !== undefined}
        aria-describedby={`${id}-about`}
        onChange={(event) => field.set(event.currentTarget.value)}
      >
        {!isKnown && (
          <option value={"\u0000"}>
            {field.value || own || EXPERIMENT_FIELDS.describedInJson}
          </option>
        )}
        {choices.map((choice) => (
          <option key={choice.id} value={choice.id}>
            {choice.title}
          </option>
        ))}
      </select>
    </Field>
  );
}
