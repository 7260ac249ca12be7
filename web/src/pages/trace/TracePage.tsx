import { useEffect, useMemo } from "react";
import { useStore } from "zustand";
import { useWorkbenchState } from "../../app/context";
import { usePaintedFrames } from "../../app/painted";
import { RunViewModelContext } from "../../app/run-view-model";
import type { Catalog } from "../../engine/types";
import { pageZoom, useFit } from "../../ui/fit";
import { PageBar } from "../../ui/page-bar";
import { OpenButtons, Reading, Refused } from "./Choose";
import { MachineParts } from "./MachineParts";
import { MachineViewModel } from "./machine-view-model";
import { machines, type OpenMachine } from "./opened";
import { PAGE } from "./words";
import "./trace.css";
import { TRACE_PAGE } from "./words";

/** A real machine from its files, or the controls to open one. */
export function TracePage() {
  const { look, text, hasTouch } = useFit();
  const opened = useStore(machines.store, (state) => state.opened);
  // The engine of the twin waits until each of its frames has been painted.
  usePaintedFrames();
  useEffect(() => void machines.resume(), []);
  useEffect(() => {
    document.title = `${opened?.machine.name ?? PAGE.title} · mmscope`;
  }, [opened]);
  return (
    <div
      className="trace-page"
      data-look={look}
      data-touch={hasTouch || undefined}
      style={pageZoom(text)}
    >
      <PageBar crumb={<b>{PAGE.title}</b>} />
      <main className="trace-main" aria-label={opened?.machine.name ?? PAGE.title}>
        {opened ? <Opened opened={opened} /> : <Nothing />}
      </main>
    </div>
  );
}

function Nothing() {
  return (
    <>
      <h1 tabIndex={-1}>{PAGE.title}</h1>
      <p className="trace-about">{PAGE.about}</p>
      <div className="trace-go">
        <OpenButtons isFirst />
        <Reading />
      </div>
      <Refused />
      <h2>{TRACE_PAGE.whatYouCanOpen}</h2>
      <ul className="trace-accepts">
        {PAGE.accepts.map((words) => (
          <li key={words}>{words}</li>
        ))}
      </ul>
      <p className="trace-about">{PAGE.drop}</p>
    </>
  );
}

function Opened({ opened }: { opened: OpenMachine }) {
  const catalog = useWorkbenchState(({ engine }) =>
    engine.kind === "ready" ? engine.catalog : null,
  );
  const failure = useWorkbenchState(({ engine }) =>
    engine.kind === "unavailable" ? engine.message : null,
  );
  return (
    <>
      <h1 tabIndex={-1}>{opened.machine.name}</h1>
      <div className="trace-go">
        <OpenButtons />
        <button type="button" className="btn line" onClick={() => machines.close()}>
          {PAGE.close}
        </button>
        <Reading />
      </div>
      <Refused />
      {failure !== null && <p role="alert">{TRACE_PAGE.engineDidNotStart(failure)}</p>}
      {catalog && <MachineView key={keyOf(opened)} opened={opened} catalog={catalog} />}
    </>
  );
}

let keys = 0;
const keysOf = new WeakMap<object, number>();

/** Another machine, or another trace of the same machine, has another view model. */
function keyOf({ machine }: OpenMachine): number {
  const known = keysOf.get(machine);
  if (known !== undefined) return known;
  keys += 1;
  keysOf.set(machine, keys);
  return keys;
}

function MachineView({ opened, catalog }: { opened: OpenMachine; catalog: Catalog }) {
  const { machine, client } = opened;
  const model = useMemo(
    () => new MachineViewModel(machine, client, catalog),
    [machine, client, catalog],
  );
  return (
    <RunViewModelContext value={model}>
      <MachineParts machine={machine} model={model} />
    </RunViewModelContext>
  );
}
