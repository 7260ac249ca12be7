import { useEffect } from "react";
import { useMode, useWorkbench, useWorkbenchState } from "../../app/context";
import type { Workbench } from "../../app/controller";
import { useMomentLink } from "../../app/moment-link";
import { clock } from "../../engine/format";
import { TrapCard, UnavailableCard } from "../../stage/Cards";
import { TextStage } from "../../stage/TextStage";
import { actsWhen } from "../../ui/acts";
import { Icon } from "../../ui/icons";
import { Roll } from "../../ui/roll";
import { Sentence } from "../../ui/sentence";
import { GREETING, greetingText } from "./greeting";

/** Index of the speed it runs on at, five seconds a second: about one wake of kswapd each. */
const GREETING_PACE = 24;

const greet = (workbench: Workbench) => {
  const { engine } = workbench.store.getState();
  const text = engine.kind === "ready" ? greetingText(engine.presets) : null;
  if (text === null) return;
  workbench.transport.setPace(GREETING_PACE);
  workbench.show(text, { kind: "first-refusal" });
};

/** A machine at its first watermark crossing, and the one button that lets it run on. */
export function HomeStage() {
  const workbench = useWorkbench();
  const isReady = useWorkbenchState((state) => state.engine.kind === "ready");
  useEffect(() => {
    if (isReady) greet(workbench);
  }, [isReady, workbench]);
  const session = useWorkbenchState((state) => state.session);
  const engine = useWorkbenchState((state) => state.engine);
  const trap = useWorkbenchState((state) => state.trap);
  const frame = session?.frame;
  return (
    <aside className="live" aria-label="A machine at its first watermark" aria-busy={!frame}>
      <div className="live-head">
        <h2>{session?.info.title ?? "A streaming reader beside a working set"}</h2>
        <span className="clock">
          <Roll value={frame?.view.position.step ?? 0}>
            {clock(frame?.view.position.time_ns ?? 0)}
          </Roll>
          <small>s</small>
        </span>
      </div>
      {engine.kind === "unavailable" && <UnavailableCard message={engine.message} />}
      {trap && <TrapCard trap={trap} />}
      {/* First for who comes by keyboard; it stands below the machine where there is room. */}
      <Decision />
      <TextStage />
    </aside>
  );
}

function Decision() {
  const workbench = useWorkbench();
  const mode = useMode();
  const view = useWorkbenchState((state) => state.session?.frame?.view);
  const said = useWorkbenchState((state) => state.said);
  const isPlaying = mode === "playing";
  const isEnded = view?.position.ended ?? false;
  const toMoment = useMomentLink(GREETING);
  return (
    <div className="nar">
      <button
        type="button"
        className="btn solid go-on"
        {...actsWhen(mode !== "none" && mode !== "seeking", () =>
          isEnded ? greet(workbench) : workbench.transport.toggle(),
        )}
      >
        <Icon name={isPlaying ? "pause" : isEnded ? "start" : "play"} />
        {isPlaying ? "Pause" : isEnded ? "Again" : "Run on"}
      </button>
      <p>
        {isPlaying || !view ? (
          <span className="dim">{view ? "Running." : "The engine is starting."}</span>
        ) : view.why ? (
          <Sentence spans={view.why.sentence} />
        ) : (
          <span className="dim">{isEnded ? "The run has ended here." : "Paused."}</span>
        )}
      </p>
      <a className="btn line" {...toMoment}>
        Step through it
      </a>
      <p className="sr" aria-live="polite">
        {said}
      </p>
    </div>
  );
}
