import { useId } from "react";
import { useWorkbenchState } from "../app/context";
import type { ImportOptions, OptionName } from "./import-options";
import { IMPORT_OPTION_FIELDS } from "./words";

const NUMBERS: readonly { name: OptionName; title: string; about: string; example: string }[] = [
  {
    name: "listing",
    title: IMPORT_OPTION_FIELDS.listing,
    about: IMPORT_OPTION_FIELDS.listingHelp,
    example: "1",
  },
  {
    name: "min_free_kbytes",
    title: IMPORT_OPTION_FIELDS.minFree,
    about: IMPORT_OPTION_FIELDS.minFreeHelp,
    example: "67584",
  },
  {
    name: "watermark_scale_factor",
    title: IMPORT_OPTION_FIELDS.scaleFactor,
    about: IMPORT_OPTION_FIELDS.scaleFactorHelp,
    example: "10",
  },
  {
    name: "lowmem_reserve_ratio",
    title: IMPORT_OPTION_FIELDS.reserveRatio,
    about: IMPORT_OPTION_FIELDS.reserveRatioHelp,
    example: "256 256 32 0 0",
  },
];

interface FieldsProps {
  readonly options: ImportOptions;
  readonly faults: Partial<Record<OptionName, string>>;
  readonly change: (options: ImportOptions) => void;
}

/**
 * Settings that a zoneinfo does not contain. The user may enter them; the engine infers the others.
 */
export function ImportOptionFields({ options, faults, change }: FieldsProps) {
  const kernels = useWorkbenchState(({ engine }) =>
    engine.kind === "ready" ? engine.catalog.kernels : NO_KERNELS,
  );
  const set = (name: OptionName) => (value: string) => change({ ...options, [name]: value });
  return (
    <details className="options">
      <summary>{IMPORT_OPTION_FIELDS.settingsDumpDoesNotContain}</summary>
      <p>{IMPORT_OPTION_FIELDS.mmscopeInfersEachSetting}</p>
      <div className="option-fields">
        <Choice
          title={IMPORT_OPTION_FIELDS.kernel}
          about={IMPORT_OPTION_FIELDS.kernelHelp}
          value={options.kernel}
          choices={kernels.map(({ id, title }) => [id, title])}
          set={set("kernel")}
        />
        <Choice
          title={IMPORT_OPTION_FIELDS.architecture}
          about={IMPORT_OPTION_FIELDS.architectureHelp}
          value={options.arch}
          choices={[
            ["x86_64", "x86_64"],
            ["ppc64", "ppc64"],
          ]}
          set={set("arch")}
        />
        <Choice
          title={IMPORT_OPTION_FIELDS.pageSize}
          about={IMPORT_OPTION_FIELDS.pageSizeHelp}
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
        <option value="">{IMPORT_OPTION_FIELDS.inferred}</option>
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
        placeholder={IMPORT_OPTION_FIELDS.exampleAs(example)}
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
