import { useId } from "react";
import type { Presets } from "../../engine/load-parts";
import { PATCH_FIELDS } from "./words";

/** The patches for a kernel, each on or off. The engine decides whether the kernel can take one. */
export function PatchFields({
  patches,
  chosen,
  faults,
  change,
}: {
  patches: Presets["patches"];
  /** Ids, in the order of the JSON. */
  chosen: readonly string[];
  /** The fault of each chosen patch, if any. */
  faults: readonly (string | undefined)[];
  change: (chosen: readonly string[]) => void;
}) {
  const unknown = chosen.filter((id) => patches.every((patch) => patch.id !== id));
  const all = [...patches, ...unknown.map((id) => ({ id, title: "", about: "" }))];
  return (
    <fieldset className="patches">
      <legend>{PATCH_FIELDS.patchesOnTopOfKernel}</legend>
      {all.map(({ id, title, about }) => (
        <Patch
          key={id}
          id={id}
          title={title}
          about={about}
          isOn={chosen.includes(id)}
          fault={faults[chosen.indexOf(id)]}
          flip={() =>
            change(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id])
          }
        />
      ))}
    </fieldset>
  );
}

function Patch({
  id,
  title,
  about,
  isOn,
  fault,
  flip,
}: {
  id: string;
  title: string;
  about: string;
  isOn: boolean;
  fault: string | undefined;
  flip: () => void;
}) {
  const field = useId();
  return (
    <div className="option">
      <label>
        <input
          type="checkbox"
          checked={isOn}
          aria-invalid={fault !== undefined}
          aria-describedby={`${field}-about`}
          onChange={flip}
        />{" "}
        <code>{id}</code> {title}
      </label>
      <p id={`${field}-about`} className={fault ? "fault" : undefined}>
        {fault ?? about}
      </p>
    </div>
  );
}
