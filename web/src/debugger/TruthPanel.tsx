import { useState } from "react";
import type { Fidelity, Mechanism } from "../engine/types";
import { useWorkbench } from "../workbench/context";

const ORDER: readonly (readonly [Fidelity, string, string])[] = [
  ["mirrored", "Mirrored", "same decisions from the same inputs as the kernel"],
  ["simplified", "Simplified", "same direction, with a stated difference"],
  ["absent", "Absent", "not there, and where it would have mattered"],
];

/** What this kernel variant models, and how well. */
export function TruthPanel({ kernel }: { kernel: string }) {
  const workbench = useWorkbench();
  const [known, setKnown] = useState<{ kernel: string; list: readonly Mechanism[] } | null>(null);
  const list = known?.kernel === kernel ? known.list : null;
  const load = async (isOpen: boolean) => {
    if (!isOpen || list) return;
    const { mechanisms } = await workbench.ask({ kind: "mechanisms", kernel });
    setKnown({ kernel, list: mechanisms });
  };
  return (
    <section className="truth">
      <details key={kernel} onToggle={(event) => void load(event.currentTarget.open)}>
        <summary>How true is this?</summary>
        {list &&
          ORDER.map(([fidelity, title, meaning]) => {
            const some = list.filter((mechanism) => mechanism.fidelity === fidelity);
            return some.length === 0 ? null : (
              <div key={fidelity}>
                <h3>
                  {title} <span className="cap">{meaning}</span>
                </h3>
                <ul>
                  {some.map(({ name, note }) => (
                    <li key={name}>
                      <b>{name}</b>
                      {note && `: ${note}`}
                    </li>
                  ))}
                </ul>
              </div>
            );
          })}
      </details>
    </section>
  );
}
