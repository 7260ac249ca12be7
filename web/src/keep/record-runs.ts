// Adds each run that reaches its end on a workbench to the user's history.

import { useEffect } from "react";
import type { Workbench } from "../app/controller";
import { engineBuild } from "../engine/build";
import { bareLink, writeLink } from "../link/link";
import { writeFragment } from "../link/router";
import { idOf, type PastRun, RunHistory } from "./history";

type Source = PastRun["source"];

/** Records the runs of a workbench while its page is open. */
export function useRecordedRuns(workbench: Workbench, source: Source): void {
  useEffect(() => {
    const history = new RunHistory();
    let last = "";
    const look = () => {
      const { session } = workbench.store.getState();
      const frame = session?.frame;
      if (!session || !frame?.view.position.ended || frame.mode.kind !== "paused") return;
      if (session.experiment === last) return;
      last = session.experiment;
      void record(workbench, source, history, session.experiment);
    };
    const forget = workbench.store.subscribe(look);
    return () => {
      forget();
      history.dispose();
    };
  }, [workbench, source]);
}

async function record(
  workbench: Workbench,
  source: Source,
  history: RunHistory,
  experiment: string,
) {
  const { hash, position, counters } = await workbench.ask({ kind: "evidence" });
  const { engine, session } = workbench.store.getState();
  if (engine.kind !== "ready" || session?.experiment !== experiment || !position.ended) return;
  const { title, kernel } = session.info;
  const cursor = { step: position.step, time_ns: position.time_ns, hash, engine: engine.version };
  const x = writeLink({ ...bareLink(experiment), cursor }, engine.presets);
  await history.add({
    id: idOf(`${engineBuild} ${hash} ${experiment}`),
    title,
    kernel,
    source,
    runs: 1,
    made_ms: Date.now(),
    engine: engine.version,
    build: engineBuild,
    hash,
    steps: position.step,
    time_ns: position.time_ns,
    figures: counters.filter(([, value]) => value !== 0).map(([name, value]) => [name, value]),
    experiment,
    address: writeFragment({ page: "workbench", x }),
  });
}
