import { type ReactNode, useId } from "react";
import { count } from "../draw/format";
import type { Choice, Refusal, TunableView } from "../engine/types";
import { useWorkbenchState } from "../workbench/context";
import { type Draft, withField, withTunable } from "./experiment-draft";

const NO_CHOICES: readonly Choice[] = [];
const NO_TUNABLES: readonly TunableView[] = [];

interface FieldsProps {
  readonly draft: Draft;
  readonly refusals: readonly Refusal[];
  readonly change: (draft: Draft) => void;
}

/** The experiment's parts and all tunables of its kernel, each with what it does. */
export function ExperimentFields({ draft, refusals, change }: FieldsProps) {
  const catalog = useWorkbenchState(({ engine }) =>
    engine.kind === "ready" ? engine.catalog : null,
  );
  const kernel = textOf(draft.kernel);
  const tunables = catalog?.tunables.find(([id]) => id === kernel)?.[1] ?? NO_TUNABLES;
  const fault = (path: string) => refusals.find((refusal) => refusal.path === path)?.reason;
  const set = (field: string) => (value: string) =>
    change(withField({ ...draft, id: "" }, field, value));
  const part = (field: string) => ({
    value: textOf(draft[field]),
    fault: fault(field),
    set: set(field),
  });
  return (
    <>
      <div className="option-fields">
        <Select
          title="Kernel"
          about="Whose rules and mechanisms the machine follows."
          choices={catalog?.kernels ?? NO_CHOICES}
          {...part("kernel")}
        />
        <Select
          title="Machine"
          about="Nodes, zones, CPUs and devices."
          choices={catalog?.machines ?? NO_CHOICES}
          {...part("machine")}
        />
        <Select
          title="Workload"
          about="The programs that run, and what they do with memory."
          choices={catalog?.workloads ?? NO_CHOICES}
          {...part("workload")}
        />
        <Text
          title="Seed"
          about="Where the workload's random numbers begin. Another seed is another run."
          {...part("seed")}
          set={(value) =>
            change(withField({ ...draft, id: "" }, "seed", wholeNumber(value) ?? value))
          }
        />
        <Text
          title="Length"
          about="Virtual time until the run ends: 100ms, 10s."
          {...part("length")}
        />
        <Text title="Title" about="What the page and shared links call it." {...part("title")} />
      </div>
      <h3>Tunables</h3>
      <div className="option-fields">
        {tunables.map((tunable) => (
          <Tunable
            key={tunable.name}
            tunable={tunable}
            value={draft.tunables?.[tunable.name] ?? ""}
            fault={fault(`tunables.${tunable.name}`)}
            set={(value) => change(withTunable(draft, tunable.name, value))}
          />
        ))}
      </div>
    </>
  );
}

const textOf = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";

const wholeNumber = (text: string) => (/^\d{1,15}$/.test(text.trim()) ? Number(text) : undefined);

function Tunable({
  tunable: { name, about, unit, limits, default: usual },
  ...field
}: {
  tunable: TunableView;
  value: string;
  fault: string | undefined;
  set: (value: string) => void;
}) {
  const isRange = /^-?\d+ to \d+$/.test(limits);
  const sentence = `${about.charAt(0).toUpperCase()}${about.slice(1).replace(/\.$/, "")}.`;
  const words = isRange ? `${sentence} ${rangeWords(limits, unit)}` : sentence;
  if (isRange || !limits.includes(", ")) {
    return <Text title={name} about={words} placeholder={usual} {...field} />;
  }
  const choices = limits.split(", ").map((id) => ({ id, title: id, about: "" }));
  return (
    <Select
      title={name}
      about={words}
      choices={[{ id: "", title: `${usual} (as the kernel has it)`, about: "" }, ...choices]}
      {...field}
    />
  );
}

/** "0 to 2,147,483,647, in 10 ms." */
function rangeWords(limits: string, unit: string): string {
  const [least = "", most = ""] = limits.split(" to ");
  return `${count(Number(least))} to ${count(Number(most))}${unit ? `, in ${unit}` : ""}.`;
}

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

function Text({ placeholder, ...field }: OneProps & { placeholder?: string }) {
  const id = useId();
  return (
    <Field id={id} {...field}>
      <input
        id={id}
        className="field"
        value={field.value}
        placeholder={placeholder}
        aria-invalid={field.fault !== undefined}
        aria-describedby={`${id}-about`}
        onChange={(event) => field.set(event.currentTarget.value)}
      />
    </Field>
  );
}

/** What is described in the JSON itself has no name to choose; it stays until another is chosen. */
function Select({ choices, ...field }: OneProps & { choices: readonly Choice[] }) {
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
        {!isKnown && <option value={"\u0000"}>{field.value || "described in the JSON"}</option>}
        {choices.map((choice) => (
          <option key={choice.id} value={choice.id}>
            {choice.title}
          </option>
        ))}
      </select>
    </Field>
  );
}
