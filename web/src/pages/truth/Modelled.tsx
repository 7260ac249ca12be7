// The mechanisms of each kernel with their fidelity: mirrored, simplified or absent.

import { use, useState } from "react";
import { once } from "../../engine/once";
import type { Fidelity, Mechanism } from "../../engine/types";
import { loadCatalog } from "../../engine/worker/load-catalog";
import { MODELLED } from "./words";

const ORDER: readonly (readonly [Fidelity, string, string])[] = [
  ["mirrored", MODELLED.mirrored, MODELLED.mirroredHelp],
  ["simplified", MODELLED.simplified, MODELLED.simplifiedHelp],
  ["absent", MODELLED.absent, MODELLED.absentHelp],
];

const catalog = once(loadCatalog);

/** The mechanisms of the chosen kernel. */
export function Modelled() {
  const { kernels, mechanisms, functions } = use(catalog());
  const [kernel, setKernel] = useState(kernels[0]?.id ?? "");
  const some = mechanisms.find(([id]) => id === kernel)?.[1] ?? [];
  const count = (fidelity: Fidelity) =>
    functions.filter((f) => f.file !== "" && f.fidelity === fidelity).length;
  return (
    <section aria-labelledby="modelled">
      <h2 id="modelled">{MODELLED.whatIsModelledAndHow}</h2>
      <p className="stand">{MODELLED.functions(count("mirrored"), count("simplified"))}</p>
      <p>
        <label>
          {MODELLED.kernel}{" "}
          <select value={kernel} onChange={(event) => setKernel(event.target.value)}>
            {kernels.map(({ id, title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </select>
        </label>
      </p>
      <div className="modelled">
        {ORDER.map(([fidelity, title, meaning]) => (
          <Some key={fidelity} title={title} meaning={meaning}>
            {some.filter((mechanism) => mechanism.fidelity === fidelity)}
          </Some>
        ))}
      </div>
    </section>
  );
}

function Some({
  title,
  meaning,
  children,
}: {
  title: string;
  meaning: string;
  children: readonly Mechanism[];
}) {
  return (
    <div>
      <h3>
        {title} <span className="n">{children.length}</span>
      </h3>
      <p className="about">{meaning}</p>
      <ul>
        {children.map(({ name, note }) => (
          <li key={name}>
            <b>{name}</b>
            {note && `: ${note}`}
          </li>
        ))}
      </ul>
    </div>
  );
}
