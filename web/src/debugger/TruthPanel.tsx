import { useState } from "react";
import { useWorkbenchState } from "../app/context";
import type { Fidelity, Mechanism } from "../engine/types";

const ORDER: readonly (readonly [Fidelity, string, string])[] = [
  ["mirrored", "Mirrored", "same decisions from the same inputs as the kernel, nothing left out"],
  ["simplified", "Simplified", "same direction of the effect; the note states the difference"],
  ["absent", "Absent", "not modelled; the note says where it would matter"],
];

const NONE: readonly Mechanism[] = [];

/** The functions that this kernel variant models, and their fidelity. */
export function TruthPanel({ kernel }: { kernel: string }) {
  const [isOpen, setOpen] = useState(false);
  const mechanisms = useWorkbenchState(({ engine }) =>
    engine.kind === "ready"
      ? engine.catalog.mechanisms.find(([id]) => id === kernel)?.[1]
      : undefined,
  );
  return (
    <section className="truth">
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>How true is this?</summary>
        {isOpen && (
          <>
            <p>
              <a href="#/truth">How the engine was checked against real kernels</a>
            </p>
            <Mechanisms mechanisms={mechanisms ?? NONE} />
          </>
        )}
      </details>
    </section>
  );
}

function Mechanisms({ mechanisms }: { mechanisms: readonly Mechanism[] }) {
  return ORDER.map(([fidelity, title, meaning]) => {
    const some = mechanisms.filter((mechanism) => mechanism.fidelity === fidelity);
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
  });
}
