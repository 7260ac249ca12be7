import { useCanStep, useMode, useWorkbench, useWorkbenchState } from "../../app/context";
import type { Tab } from "../../app/store";
import { momentOf } from "../../app/store";
import { Ticker } from "../../timeline/ticker/Ticker";
import { actsWhen } from "../../ui/acts";
import { Icon } from "../../ui/icons";
import { LongRunBar } from "./LongRunBar";
import { Clock, PlayButton } from "./Transport";
import { PHONE_BAR } from "./words";

/** The phone's fixed bar: clock, scrubber, back, play, step. */
export function PhoneBar() {
  const workbench = useWorkbench();
  const isBusy = useMode() !== "paused";
  const canStep = useCanStep();
  const frame = useWorkbenchState((state) => state.session?.frame ?? null);
  const longRun = useWorkbenchState((state) => state.longRun);
  const now_ns = useWorkbenchState(momentOf);
  const known_ns = Math.max(1, frame?.furthest.time_ns ?? 1, now_ns);
  return (
    <nav className="phonebar" aria-label={PHONE_BAR.transport}>
      <Ticker />
      <div className="place">
        <Clock />
        {longRun && (longRun.toEnd || longRun.goal_step !== null || !frame) ? (
          <LongRunBar longRun={longRun} />
        ) : (
          <input
            type="range"
            aria-label={PHONE_BAR.playhead}
            min="0"
            max={known_ns}
            step={Math.max(1, Math.floor(known_ns / 1000))}
            value={now_ns}
            disabled={!frame}
            onChange={(event) =>
              workbench.transport.seek({ kind: "time", time_ns: Number(event.currentTarget.value) })
            }
          />
        )}
      </div>
      <div className="b">
        <button
          type="button"
          className="btn line"
          {...actsWhen(!isBusy && frame?.view.position.step !== 0, () =>
            workbench.transport.back("step"),
          )}
        >
          <Icon name="back" />
          {PHONE_BAR.back}
        </button>
        <PlayButton />
        <button
          type="button"
          className="btn line"
          {...actsWhen(canStep && !frame?.view.position.ended, () =>
            workbench.transport.step("into"),
          )}
        >
          <Icon name="into" />
          {PHONE_BAR.step}
        </button>
      </div>
    </nav>
  );
}

const TABS: readonly [Tab, string][] = [
  ["machine", PHONE_BAR.machine],
  ["code", PHONE_BAR.code],
  ["tasks", PHONE_BAR.tasks],
  ["lists", PHONE_BAR.lists],
];

/** Tabs that choose which part of the workbench a phone shows. */
export function PhoneTabs() {
  const workbench = useWorkbench();
  const tab = useWorkbenchState((state) => state.tab);
  return (
    <nav className="tabs-m" aria-label={PHONE_BAR.view}>
      {TABS.map(([id, words]) => (
        <button
          key={id}
          type="button"
          aria-current={id === tab ? "page" : undefined}
          onClick={() => workbench.showTab(id)}
        >
          {words}
        </button>
      ))}
    </nav>
  );
}
