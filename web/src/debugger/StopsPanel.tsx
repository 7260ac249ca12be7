import { useEffect, useRef, useState } from "react";
import { useWorkbench, useWorkbenchState } from "../app/context";
import { eventKind, litHovered, litSelected } from "../app/selection";
import { type Key, knownOf, type WorkbenchState } from "../app/store";
import { type Breakpoint, idOf, resolve, type Watch, watchWords } from "../app/watch";
import { count } from "../engine/format";
import type { Condition } from "../engine/protocol";
import type { Catalog } from "../engine/types";
import { actsWhen } from "../ui/acts";
import { Icon } from "../ui/icons";
import { lightClass } from "../ui/lit";
import { AddStop } from "./AddStop";
import { STOPS_PANEL } from "./words";

const conditionWords = ({ field, is, with: word }: Condition) => `${field} ${is} ${word}`;

/** The list of breakpoints, with buttons to go to their hits and to switch, add and delete them. */
export function StopsPanel() {
  const workbench = useWorkbench();
  const breakpoints = useWorkbenchState((state) => state.breakpoints);
  const isPaused = useWorkbenchState(
    ({ session, longRun }) => !longRun && session?.frame?.mode.kind === "paused",
  );
  const isAny = breakpoints.some(({ isOn }) => isOn);
  const [isAdding, setAdding] = useState(false);
  const box = useRef<HTMLElement>(null);
  // An action may remove the pressed button. The focus then moves to the first of these elements
  // that exists.
  const next = useRef<readonly string[]>([]);
  useEffect(() => {
    const found = next.current.map((one) => box.current?.querySelector<HTMLElement>(one));
    next.current = [];
    found.find(Boolean)?.focus();
  });
  const setForm = (isOpen: boolean) => {
    next.current = isOpen ? [".add-stop select"] : [".adds"];
    setAdding(isOpen);
  };
  const go = (what: "next" | "previous") => ({
    className: "btn line",
    ...actsWhen(isPaused && isAny, () => workbench.stops.find(what)),
  });
  return (
    <section aria-label={STOPS_PANEL.breakpoints} ref={box}>
      <div className="stop-moves">
        <button type="button" {...go("previous")}>
          <Icon name="back" />
          {STOPS_PANEL.previousHit}
        </button>
        <button type="button" {...go("next")}>
          {STOPS_PANEL.nextHit}
          <Icon name="play" />
        </button>
      </div>
      {breakpoints.length === 0 ? (
        <p className="else">{STOPS_PANEL.noneYet}</p>
      ) : (
        <ul className="stops">
          {breakpoints.map((breakpoint, i) => (
            <Stop
              key={idOf(breakpoint)}
              breakpoint={breakpoint}
              taken={() => {
                const [same, last] = [`li:nth-child(${i + 1})`, "li:last-child"];
                next.current = [`${same} button`, `${last} button`, ".add-stop select"];
              }}
            />
          ))}
        </ul>
      )}
      {isAdding || breakpoints.length === 0 ? (
        <AddStop added={() => setForm(false)} />
      ) : (
        <button type="button" className="btn adds" onClick={() => setForm(true)}>
          {STOPS_PANEL.addBreakpoint}
        </button>
      )}
    </section>
  );
}

/** Is one of these keys the subject of the breakpoint? */
function isAbout(watch: Watch, keys: readonly Key[], catalog: Catalog | null): boolean {
  switch (watch.kind) {
    case "function":
    case "line":
      return keys.includes(`fn ${watch.name}`);
    case "free":
    case "mark":
      return keys.includes(`zone ${watch.zone}`);
    case "page":
      return keys.includes(`page ${watch.pfn}`);
    case "task":
      return keys.includes(`task ${watch.task}`);
    case "event": {
      const kind = catalog?.records.findIndex(({ name }) => name === watch.name);
      return keys.some((key) => eventKind(key) === kind);
    }
    case "counter":
    case "kswapd":
      return false;
  }
}

function Stop({ breakpoint, taken }: { breakpoint: Breakpoint; taken: () => void }) {
  const workbench = useWorkbench();
  const id = idOf(breakpoint);
  const isHit = useWorkbenchState((state) => state.hit === id);
  const isMissing = useWorkbenchState((state) => {
    const known = knownOf(state);
    return known !== null && resolve(breakpoint.watch, known) === null;
  });
  const tasks = useWorkbenchState((state) => state.session?.frame?.view.tasks);
  const { watch, condition, isOn, stops } = breakpoint;
  const words = watchWords(watch, (n) => tasks?.find((t) => t.id === n)?.name ?? `task ${n}`);
  const about = (keys: readonly Key[], { engine }: WorkbenchState) =>
    isAbout(watch, keys, engine.kind === "ready" ? engine.catalog : null);
  const isHovered = useWorkbenchState((state) => about(litHovered(state), state));
  const isSelected = useWorkbenchState((state) => about(litSelected(state), state));
  const light = lightClass({ isHovered, isSelected });
  return (
    <li className={`${isHit ? "is-hit" : ""}${light}`} aria-current={isHit || undefined}>
      <label>
        <input type="checkbox" checked={isOn} onChange={() => workbench.stops.flip(id)} />
        <span>
          {words}
          {condition && <small>{STOPS_PANEL.onlyIf(conditionWords(condition))}</small>}
          {isMissing && <small>{STOPS_PANEL.missing}</small>}
        </span>
      </label>
      <span className="cap">
        {isHit && STOPS_PANEL.here}
        {!isHit && stops > 0 && `${count(stops)}×`}
      </span>
      <button
        type="button"
        className="btn icon"
        aria-label={STOPS_PANEL.remove(words)}
        onClick={() => {
          taken();
          workbench.stops.toggle(watch, condition);
        }}
      >
        <Icon name="cross" />
      </button>
    </li>
  );
}
