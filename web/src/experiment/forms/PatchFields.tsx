import { useId, useState } from "react";
import type { PatchOffer } from "../../engine/load-parts";
import { patchesFor, type Switched, switchPatch } from "./patch-sets";
import { PATCHES } from "./words";

interface FieldsProps {
  readonly patches: readonly PatchOffer[];
  /** The kernel that the patches apply to; null if it is not known. */
  readonly kernel: string | null;
  /** Ids, in the order of the JSON. */
  readonly chosen: readonly string[];
  /** The error of each selected patch, if any. */
  readonly faults: readonly (string | undefined)[];
  readonly change: (chosen: readonly string[]) => void;
}

/**
 * The patches for a kernel, each on or off. Switching a patch on also switches on the patches that
 * it builds on. The engine decides whether the kernel can take a set.
 */
export function PatchFields({ patches, kernel, chosen, faults, change }: FieldsProps) {
  const [last, setLast] = useState<Switched | null>(null);
  const isKnown = (id: string) => patches.some((patch) => patch.id === id);
  const unknown = chosen.filter((id) => !isKnown(id)).map(unknownPatch);
  const { fitting, others } = patchesFor({ patches, kernel, chosen });
  const row = (patch: PatchOffer) => (
    <Patch
      key={patch.id}
      patch={patch}
      isOn={chosen.includes(patch.id)}
      fault={faults[chosen.indexOf(patch.id)]}
      flip={() => {
        const next = switchPatch({ patches, kernel, chosen }, patch.id);
        setLast(next);
        change(next.chosen);
      }}
    />
  );
  return (
    <fieldset className="patches">
      <legend>{PATCHES.legend}</legend>
      <p role="status" className="patches-also">
        {last && alsoWords(last)}
      </p>
      {[...fitting, ...unknown].map(row)}
      {others.length > 0 && (
        <details className="patches-others">
          <summary>{PATCHES.others(others.length)}</summary>
          {others.map(row)}
        </details>
      )}
    </fieldset>
  );
}

const unknownPatch = (id: string): PatchOffer => ({
  id,
  title: "",
  about: "",
  requires: [],
  excludes: [],
  kernels: [],
  included_in: [],
});

/** The other patches that the last switch changed. */
function alsoWords({ added, removed }: Switched): string {
  const words = [
    added.length > 0 && PATCHES.added(added),
    removed.length > 0 && PATCHES.removed(removed),
  ];
  return words.filter(Boolean).join(" ");
}

function Patch({
  patch: { id, title, about, requires },
  isOn,
  fault,
  flip,
}: {
  patch: PatchOffer;
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
        {!fault && requires.length > 0 && ` ${PATCHES.requires(requires)}`}
      </p>
    </div>
  );
}
