import { useId } from "react";
import { useWorkbenchState } from "../app/context";
import type { ImportOptions, OptionName } from "./import-options";

const NUMBERS: readonly { name: OptionName; title: string; about: string; example: string }[] = [
  {
    name: "listing",
    title: "Which listing",
    about: "For a text with several listings of /proc/zoneinfo; 1 is the first.",
    example: "1",
  },
  {
    name: "min_free_kbytes",
    title: "vm.min_free_kbytes",
    about: "The total of the min watermarks, divided among the zones by size.",
    example: "67584",
  },
  {
    name: "watermark_scale_factor",
    title: "vm.watermark_scale_factor",
    about: "The distance of low and high above min, in ten-thousandths of a zone.",
    example: "10",
  },
  {
    name: "lowmem_reserve_ratio",
    title: "vm.lowmem_reserve_ratio",
    about:
      "How much a zone reserves from requests that could use a higher zone; one number per zone.",
    example: "256 256 32 0 0",
  },
];

interface FieldsProps {
  readonly options: ImportOptions;
  readonly faults: Partial<Record<OptionName, string>>;
  readonly change: (options: ImportOptions) => void;
}

/** Settings that a zoneinfo does not contain. A person may enter them; the rest is inferred. */
export function ImportOptionFields({ options, faults, change }: FieldsProps) {
  const kernels = useWorkbenchState(({ engine }) =>
    engine.kind === "ready" ? engine.catalog.kernels : NO_KERNELS,
  );
  const set = (name: OptionName) => (value: string) => change({ ...options, [name]: value });
  return (
    <details className="options">
      <summary>Settings the dump does not contain</summary>
      <p>mmscope infers each setting that you leave empty from the dump.</p>
      <div className="option-fields">
        <Choice
          title="Kernel"
          about="Decides how watermarks are computed. Inferred from the fields of the dump."
          value={options.kernel}
          choices={kernels.map(({ id, title }) => [id, title])}
          set={set("kernel")}
        />
        <Choice
          title="Architecture"
          about="Decides where zones end. Inferred from zone names and borders, which is not possible for every machine."
          value={options.arch}
          choices={[
            ["x86_64", "x86_64"],
            ["ppc64", "ppc64"],
          ]}
          set={set("arch")}
        />
        <Choice
          title="Page size"
          about="Size of the pages that the dump counts. x86 has 4 KiB; many ppc64 servers have 64 KiB."
          value={options.page_size_kib}
          choices={[
            ["4", "4 KiB"],
            ["64", "64 KiB"],
          ]}
          set={set("page_size_kib")}
        />
        {NUMBERS.map(({ name, ...field }) => (
          <NumberField
            key={name}
            {...field}
            value={options[name]}
            fault={faults[name]}
            set={set(name)}
          />
        ))}
      </div>
    </details>
  );
}

const NO_KERNELS: readonly { id: string; title: string }[] = [];

function Choice({
  title,
  about,
  value,
  choices,
  set,
}: {
  title: string;
  about: string;
  value: string;
  choices: readonly (readonly [string, string])[];
  set: (value: string) => void;
}) {
  const id = useId();
  return (
    <div className="option">
      <label htmlFor={id}>{title}</label>
      <select
        id={id}
        className="field"
        aria-describedby={`${id}-about`}
        value={value}
        onChange={(event) => set(event.currentTarget.value)}
      >
        <option value="">inferred</option>
        {choices.map(([choice, words]) => (
          <option key={choice} value={choice}>
            {words}
          </option>
        ))}
      </select>
      <p id={`${id}-about`}>{about}</p>
    </div>
  );
}

function NumberField({
  title,
  about,
  example,
  value,
  fault,
  set,
}: {
  title: string;
  about: string;
  example: string;
  value: string;
  fault: string | undefined;
  set: (value: string) => void;
}) {
  const id = useId();
  return (
    <div className="option">
      <label htmlFor={id}>
        <code>{title}</code>
      </label>
      <input
        id={id}
        className="field"
        value={value}
        placeholder={`as ${example}`}
        aria-invalid={fault !== undefined}
        aria-describedby={`${id}-about`}
        onChange={(event) => set(event.currentTarget.value)}
      />
      <p id={`${id}-about`}>
        {fault && <b>{fault} </b>}
        {about}
      </p>
    </div>
  );
}
