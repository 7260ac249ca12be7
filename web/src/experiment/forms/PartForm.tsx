import { type ReactNode, useEffect, useState } from "react";
import type { FieldRefusals } from "./field-refusals";
import { type Form, FormContext } from "./form";
import { renumbered, type Tree } from "./tree";
import { PART_FORM } from "./words";

/**
 * A machine or a workload that unfolds into its form. For a ready-made part, a note says that a
 * change makes a copy.
 */
export function PartForm({
  base,
  tree,
  isReadyMade,
  note,
  faults,
  page_bytes,
  edit,
  focus,
  children,
}: {
  base: Form["base"];
  /** The description of the part; null if the form cannot show all of it. */
  tree: Tree | null;
  isReadyMade: boolean;
  /** A note beside its title. */
  note: string;
  faults: FieldRefusals;
  page_bytes: number;
  edit: Form["edit"];
  focus: Form["focus"];
  children: ReactNode;
}) {
  const [isUnfolded, setUnfolded] = useState(false);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const isWrong = hasInside(faults, base);
  const isOpen = isUnfolded || isWrong;
  // A part that was unfolded because of an error stays open while the user corrects it, although
  // the first typed letter removes the error.
  const wrong = [...faults.keys()].join(" ");
  useEffect(() => {
    const paths = wrong.split(" ").filter((path) => path.startsWith(`${base}.`));
    if (paths.length === 0) return;
    setUnfolded(true);
    setOpen((before) => new Set([...before, ...paths.flatMap(around)]));
  }, [wrong, base]);
  return (
    <details
      className="form-part"
      open={isOpen}
      onToggle={({ currentTarget }) => setUnfolded(currentTarget.open)}
    >
      <summary>
        {PART_FORM.inside(base)} <span className="cap">{note}</span>
      </summary>
      {tree === null ? (
        <p>{PART_FORM.jsonOnly(base)}</p>
      ) : (
        <FormContext
          value={{
            base,
            tree,
            page_bytes,
            faults,
            edit,
            open,
            fold: (path, isNowOpen) => {
              const next = new Set(open);
              if (isNowOpen) next.add(path);
              else next.delete(path);
              setOpen(next);
            },
            renumber: (list, to) => setOpen(renumbered(open, list, to)),
            focus,
          }}
        >
          {isReadyMade && <p>{PART_FORM.ownCopy(base)}</p>}
          {children}
        </FormContext>
      )}
    </details>
  );
}

/** A path and all enclosing paths. */
function around(path: string): string[] {
  const ends = [...path.matchAll(/[.[]/g)].map(({ index }) => path.slice(0, index));
  return [...ends, path];
}

/** Is there an error inside the part, and not only at the part itself? */
const hasInside = (faults: FieldRefusals, base: string): boolean =>
  [...faults.keys()].some((path) => path.startsWith(`${base}.`));
