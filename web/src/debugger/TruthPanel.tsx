import { useState } from "react";
import { useWorkbenchState } from "../app/context";
import type { Fidelity, Mechanism } from "../engine/types";
import { RestsOn } from "./RestsOn";
import { RESTS_ON } from "./rests-on-words";
import { TRUTH_PANEL } from "./words";

const ORDER: readonly (readonly [Fidelity, string, string])[] = [
  ["mirrored", TRUTH_PANEL.mirrored, TRUTH_PANEL.mirroredHelp],
  ["simplified", TRUTH_PANEL.simplified, TRUTH_PANEL.simplifiedHelp],
  ["absent", TRUTH_PANEL.absent, TRUTH_PANEL.absentHelp],
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
        <summary>{TRUTH_PANEL.howTrueIsThis}</summary>
        {isOpen && (
          <>
            <p>
              <a href="#/truth">{TRUTH_PANEL.howEngineWasChecked}</a>
            </p>
            <RestsOn kernel={kernel} />
            <h3 className="truth-part">{RESTS_ON.mechanisms}</h3>
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
