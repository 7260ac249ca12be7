import { useEffect, useRef, useState } from "react";
import { useWorkbench, useWorkbenchState } from "../../app/context";
import { shareOf } from "../../app/goals";
import type { Capture } from "../../engine/capture/answers";
import type { Machine } from "../../engine/capture/open";
import { percent } from "../../engine/format";
import { RichText } from "../../ui/rich-text";
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
import { TWIN_PART } from "./words";

type State =
  | { readonly kind: "idle" }
  | { readonly kind: "running" }
  | { readonly kind: "done"; readonly difference: Difference | null }
  | { readonly kind: "failed"; readonly message: string };

/** Runs the engine's twin of a capture and shows it together with the machine. */
export function TwinPart({
  machine,
  capture,
  model,
  compare,
}: {
  machine: Machine;
  capture: Capture;
  model: MachineViewModel;
  compare: (compared: readonly Compared[] | null) => void;
}) {
  const { twin } = capture;
  return (
    <section className="trace-twin" aria-labelledby="trace-twin">
      <h2 id="trace-twin">{TWIN_PART.sameRunSimulated}</h2>
      {"refused" in twin ? (
        <>
          <p className="trace-about">{TWIN_PART.engineCannotRepeatThisRun}</p>
          <Refusals refusals={twin.refused} />
        </>
      ) : (
        <Run {...{ machine, capture, model, compare }} twin={twin} />
      )}
      <Notes capture={capture} />
    </section>
  );
}

function Run({
  machine,
  capture,
  model,
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
      model.setBeside(besideOf(machine, run.simulated));
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
    model.setBeside(NO_TWIN);
    compare(null);
    setState({ kind: "idle" });
  };
  return (
    <>
      <p className="trace-about">{TWIN_PART.about(BESIDE)}</p>
      <div className="trace-go">
        {state.kind === "running" ? (
          <>
            <Progress />
            <button type="button" className="btn line" onClick={stop}>
              {TWIN_PART.cancel}
            </button>
          </>
        ) : (
          <button type="button" className="btn solid" onClick={() => void begin()}>
            {state.kind === "done" ? TWIN_PART.runTwinAgain : TWIN_PART.runTwinBesideIt}
          </button>
        )}
        {state.kind === "done" && (
          <button type="button" className="btn line" onClick={remove}>
            {TWIN_PART.removeTwin}
          </button>
        )}
      </div>
      <div role="status">
        {state.kind === "failed" && <p>{TWIN_PART.twinDidNotRun(state.message)}</p>}
        {state.kind === "done" && (
          <First difference={state.difference} hasSamples={machine.samples !== null} />
        )}
      </div>
    </>
  );
}

function Progress() {
  const longRun = useWorkbenchState((state) => state.longRun);
  const share = (longRun && shareOf(longRun)) ?? 0;
  return (
    <span className="trace-reading">
      {TWIN_PART.simulating}
      <span
        className="trace-bed"
        role="progressbar"
        aria-label={TWIN_PART.progressOfTwin}
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
    return <p>{TWIN_PART.noSamples}</p>;
  }
  const rule = TWIN_PART.rule(LEAST_GROWTH, MOST_FACTOR);
  if (!difference) return <p>{TWIN_PART.noDifference(rule)}</p>;
  const { name, time_ns, real, simulated } = difference;
  return (
    <p>
      <RichText
        text={TWIN_PART.firstDifference(time_ns, real, simulated, rule)}
        parts={{ name: <code>{name}</code> }}
      />
    </p>
  );
}

function Notes({ capture: { lacks, notes, twin } }: { capture: Capture }) {
  const assumed = "assumed" in twin ? twin.assumed : [];
  const all = [...lacks.map((one) => TWIN_PART.notRepeatedHere(one)), ...assumed, ...notes];
  if (all.length === 0) return null;
  return (
    <details>
      <summary>{TWIN_PART.notesAboutThisCapture(all.length)}</summary>
      <ul className="trace-refusals">
        {all.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </details>
  );
}
