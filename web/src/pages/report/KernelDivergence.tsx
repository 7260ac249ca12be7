import { useEffect, useMemo } from "react";
import { useStore } from "zustand";
import type { ProgramPoint } from "../../engine/first-divergence";
import { clock, count, counted, duration } from "../../engine/format";
import { isModelled, type Size } from "../../lessons/publications";
import type { PublishedTable } from "../../lessons/schema";
import { DIVERGENCE } from "./column-words";
import { DivergenceController, type Known } from "./divergence";
import "./divergence.css";

/**
 * The line at which the runs of two columns of a table first differ in one experiment. The columns
 * differ in their kernel, in patches or in tunables.
 */
export function KernelDivergence({ table, size }: { table: PublishedTable; size: Size }) {
  const controller = useMemo(() => new DivergenceController(table, size), [table, size]);
  useEffect(() => () => controller.dispose(), [controller]);
  const { kernels, experiment, known } = useStore(controller.store);
  const [first, second] = kernels;
  const isSame = first === second;
  return (
    <section className="divergence" aria-labelledby="divergence">
      <h2 id="divergence">{DIVERGENCE.title}</h2>
      <p>{DIVERGENCE.about}</p>
      <div className="choices">
        <Choice
          words={DIVERGENCE.first}
          value={first}
          all={table.kernels.filter(isModelled)}
          choose={(one) => controller.choose({ kernels: [one, second] })}
        />
        <Choice
          words={DIVERGENCE.second}
          value={second}
          all={table.kernels.filter(isModelled)}
          choose={(one) => controller.choose({ kernels: [first, one] })}
        />
        {controller.experiments.length > 1 && (
          <Choice
            words="Experiment"
            value={experiment}
            all={controller.experiments}
            choose={(one) => controller.choose({ experiment: one })}
          />
        )}
        {known.kind === "runs" ? (
          <button type="button" className="btn line" onClick={() => controller.cancel()}>
            Cancel
          </button>
        ) : (
          <button
            type="button"
            className="btn solid"
            disabled={isSame}
            onClick={() => void controller.run()}
          >
            Find where they diverge
          </button>
        )}
      </div>
      {/* A screen reader must not read the progress ten times a second. */}
      <p aria-live={known.kind === "runs" ? "off" : "polite"} className="far">
        {isSame ? DIVERGENCE.same : outcomeWords(known)}
      </p>
      {known.kind === "found" && known.outcome === "diverged" && <Found found={known} />}
    </section>
  );
}

function Choice({
  words,
  value,
  all,
  choose,
}: {
  words: string;
  value: string;
  all: readonly string[];
  choose: (one: string) => void;
}) {
  return (
    <label>
      {words}
      <select
        className="field"
        value={value}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        {all.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </label>
  );
}

function outcomeWords(known: Known): string {
  switch (known.kind) {
    case "nothing":
      return "";
    case "stopped":
      return known.message;
    case "runs":
      return `The runs are equal for ${counted(known.step, "step")}, ${count(Math.floor(known.time_ns / 1e9))} s …`;
    case "found":
      return known.outcome === "ended"
        ? DIVERGENCE.never(known.step)
        : `The runs are equal for ${counted(known.step, "step")}.`;
  }
}

function Found({ found: { last, runs } }: { found: Extract<Known, { kind: "found" }> }) {
  const [a, b] = runs;
  const isLate = a && b && sameLine(a.next, b.next);
  return (
    <>
      {last && (
        <p className="last">
          The last line that both ran, by {last.name} in <code>{last.function}</code>
          {last.file && <small> {last.file}</small>}
          <code className="line">{last.line}</code>
        </p>
      )}
      <div className="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">{DIVERGENCE.column}</th>
              <th scope="col">next line</th>
              <th scope="col">function</th>
              <th scope="col">time</th>
              <th scope="col">
                <span className="sr">Open</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {runs.map(({ kernel, next, time_ns, href }) => (
              <tr key={kernel}>
                <th scope="row">{kernel}</th>
                <td>{next ? <code>{next.line}</code> : "none: the run has ended"}</td>
                <td>
                  {next && (
                    <>
                      <code>{next.function}</code> <small>{next.name}</small>
                    </>
                  )}
                </td>
                <td>{clock(time_ns)} s</td>
                <td>
                  <a href={href} aria-label={`Open this moment of ${kernel}`}>
                    Open this moment
                  </a>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {isLate && (
        <p className="late">
          Both continue at the same line. The last line took {a.kernel}{" "}
          {duration(Math.abs(a.time_ns - b.time_ns))} {a.time_ns > b.time_ns ? "longer" : "less"}.
        </p>
      )}
    </>
  );
}

const sameLine = (a: ProgramPoint | null, b: ProgramPoint | null) =>
  a !== null && b !== null && a.task === b.task && a.function === b.function && a.line === b.line;
