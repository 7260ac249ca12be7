// The mechanisms of each kernel with their fidelity: mirrored, simplified or absent.

import { use, useState } from "react";
import { once } from "../../engine/once";
import type { Fidelity, Mechanism } from "../../engine/types";
import { loadCatalog } from "../../engine/worker/load-catalog";

const ORDER: readonly (readonly [Fidelity, string, string])[] = [
  ["mirrored", "Mirrored", "the same decisions from the same inputs, with nothing left out"],
  ["simplified", "Simplified", "the same direction of the effect; the note says what differs"],
  ["absent", "Absent", "not modelled; the note says where it would matter"],
];

const catalog = once(loadCatalog);

/** The mechanisms of the chosen kernel. */
export function Modelled() {
  const { kernels, mechanisms, functions } = use(catalog());
  const [kernel, setKernel] = useState(kernels[0]?.id ?? "");
  const some = mechanisms.find(([id]) => id === kernel)?.[1] ?? [];
  const counted = (fidelity: Fidelity) =>
    functions.filter((f) => f.file !== "" && f.fidelity === fidelity).length;
  return (
    <section aria-labelledby="modelled">
      <h2 id="modelled">What is modelled, and how</h2>
      <p className="stand">
        Of the kernel functions you can step through, {counted("mirrored")} are mirrored line by
        line and {counted("simplified")} are simplified. The note beside the code of each says what
        is left out. The mechanisms by kernel:
      </p>
      <p>
        <label>
          Kernel{" "}
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
