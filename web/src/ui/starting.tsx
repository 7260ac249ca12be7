// Progress of the engine's start, shown if it takes long.

import { useEffect, useState, useSyncExternalStore } from "react";
import { useWorkbenchState } from "../app/context";
import { engineLoading, type Loading } from "../engine/module";
import { STARTING } from "./words";

/** Time before the message appears, s. */
const SHOWN_AFTER_S = 4;

const WORDS: Record<Loading, string> = {
  waiting: STARTING.waitingForEngine,
  coming: STARTING.downloadingAndCompilingEngine,
  there: STARTING.startingEngine,
};

/** Says that the engine is starting, which stage it has reached, and how long it has taken. */
export function Starting() {
  const isStarting = useWorkbenchState(({ engine }) => engine.kind === "starting");
  return isStarting && <Progress />;
}

function Progress() {
  const loading = useSyncExternalStore(engineLoading.subscribe, engineLoading.now);
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const began = performance.now();
    const timer = setInterval(
      () => setSeconds(Math.floor((performance.now() - began) / 1000)),
      1000,
    );
    return () => clearInterval(timer);
  }, []);
  if (seconds < SHOWN_AFTER_S) return null;
  return (
    <div className="notice starting">
      <p>
        <span role="status">{WORDS[loading]}.</span> {STARTING.onSlowDevice}{" "}
        <span className="for">{seconds} s</span>
      </p>
    </div>
  );
}
