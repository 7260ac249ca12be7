import { useEffect, useRef, useState } from "react";
import { useWorkbench, useWorkbenchState } from "../../app/context";
import { shareOf } from "../../app/goals";
import type { Capture } from "../../engine/capture/answers";
import type { Machine } from "../../engine/capture/open";
import { clock, count, percent } from "../../engine/format";
import { BESIDE, besideOf, NO_TWIN } from "./beside";
import { Refusals } from "./Choose";
import type { MachineViewModel } from "./machine-view-model";
import {
  type Compared,
  comparedOf,
  type Difference,
  firstDifference,
  LEAST_GROWTH,
  MOST_FACTOR,
} from "./twin";
import { grownOf, runTwin } from "./twin-run";

type State =
  | { readonly kind: "idle" }
  | { readonly kind: "running" }
  | { readonly kind: "done"; readonly difference: Difference | null }
  | { readonly kind: "failed"; readonly message: string };

/** Runs the engine's twin of a capture and puts it beside the machine. */
export function TwinPart({
  machine,
  capture,
  desk,
  compare,
}: {
  machine: Machine;
  capture: Capture;
  desk: MachineViewModel;
  compare: (compared: readonly Compared[] | null) => void;
}) {
  const { twin } = capture;
  return (
    <section className="trace-twin" aria-labelledby="trace-twin">
      <h2 id="trace-twin">The same run, simulated</h2>
      {"refused" in twin ? (
        <>
          <p className="trace-about">The engine cannot repeat this run:</p>
          <Refusals refusals={twin.refused} />
        </>
      ) : (
        <Run {...{ machine, capture, desk, compare }} twin={twin} />
      )}
      <Notes capture={capture} />
    </section>
  );
}

function Run({
  machine,
  capture,
  desk,
  compare,
  twin,
}: Parameters<typeof TwinPart>[0] & { twin: Exclude<Capture["twin"], { refused: unknown }> }) {
  const workbench = useWorkbench();
  const [state, setState] = useState<State>({ kind: "idle" });
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const begin = async () => {
    const cancel = new AbortController();
    running.current = cancel;
    setState({ kind: "running" });
    try {
      const run = await runTwin(workbench, machine, capture, twin, cancel.signal);
      desk.setBeside(besideOf(machine, run.simulated));
      compare(comparedOf(capture.counters, run.before, run.after, (name) => run.counted.has(name)));
      setState({ kind: "done", difference: firstDifference(grownOf(machine, run.simulated)) });
    } catch (error) {
      if (cancel.signal.aborted) setState({ kind: "idle" });
      else
        setState({ kind: "failed", message: error instanceof Error ? error.message : `${error}` });
    }
  };
  const stop = () => {
    running.current?.abort();
    workbench.transport.pause();
  };
  const remove = () => {
    desk.setBeside(NO_TWIN);
    compare(null);
    setState({ kind: "idle" });
  };
  return (
    <>
      <p className="trace-about">
        The engine runs the same workload on a machine of the same shape. Its lanes, zones and
        counters then stand in the timeline with the word “{BESIDE}” behind their names.
      </p>
      <div className="trace-go">
        {state.kind === "running" ? (
          <>
            <Progress />
            <button type="button" className="btn line" onClick={stop}>
              Cancel
            </button>
          </>
        ) : (
          <button type="button" className="btn solid" onClick={() => void begin()}>
            {state.kind === "done" ? "Run the twin again" : "Run the twin beside it"}
          </button>
        )}
        {state.kind === "done" && (
          <button type="button" className="btn line" onClick={remove}>
            Remove the twin
          </button>
        )}
      </div>
      <div role="status">
        {state.kind === "failed" && <p>The twin did not run: {state.message}</p>}
        {state.kind === "done" && (
          <First difference={state.difference} hasSamples={machine.samples !== null} />
        )}
      </div>
    </>
  );
}

function Progress() {
  const way = useWorkbenchState((state) => state.way);
  const share = (way && shareOf(way)) ?? 0;
  return (
    <span className="trace-reading">
      Simulating.
      <span
        className="trace-bed"
        role="progressbar"
        aria-label="Progress of the twin"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.floor(share * 100)}
      >
        <i style={{ inlineSize: `${share * 100}%` }} />
      </span>
      <b>{percent(share)}</b>
    </span>
  );
}

function First({ difference, hasSamples }: { difference: Difference | null; hasSamples: boolean }) {
  if (!hasSamples) {
    return <p>The capture has no samples over time, so the first difference is not known.</p>;
  }
  const rule = `by more than ${LEAST_GROWTH} and by more than a factor of ${MOST_FACTOR}`;
  if (!difference) return <p>No sampled counter differs {rule}.</p>;
  const { name, time_ns, real, simulated } = difference;
  return (
    <p>
      First difference: at {clock(time_ns)} s <code>{name}</code> had grown by {count(real)} on the
      machine and by {count(simulated)} in the twin. It is the first counter that differs {rule}.
    </p>
  );
}

function Notes({ capture: { lacks, notes, twin } }: { capture: Capture }) {
  const assumed = "assumed" in twin ? twin.assumed : [];
  const all = [...lacks.map((one) => `Not repeated here: ${one}.`), ...assumed, ...notes];
  if (all.length === 0) return null;
  return (
    <details>
      <summary>Notes about this capture ({all.length})</summary>
      <ul className="trace-refusals">
        {all.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </details>
  );
}
