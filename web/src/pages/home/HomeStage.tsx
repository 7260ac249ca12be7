import { useEffect } from "react";
import { useMode, useWorkbench, useWorkbenchState } from "../../app/context";
import type { Workbench } from "../../app/controller";
import { useMomentLink } from "../../app/moment-link";
import { endWords } from "../../engine/end";
import { clock, count } from "../../engine/format";
import { TrapCard, UnavailableCard } from "../../stage/Cards";
import { TextStage } from "../../stage/TextStage";
import type { Line } from "../../story/routine";
import { actsWhen } from "../../ui/acts";
import { Icon } from "../../ui/icons";
import { Roll } from "../../ui/roll";
import { Sentence } from "../../ui/sentence";
import { GREETING, greetingText } from "./greeting";
import { useHomeStory } from "./story";
import { HOME_STAGE } from "./words";

const greet = (workbench: Workbench) => {
  const { engine } = workbench.store.getState();
  const text = engine.kind === "ready" ? greetingText(engine.presets) : null;
  if (text === null) return;
  workbench.transport.setTempo("events");
  workbench.show(text, { kind: "first-refusal" });
};

/** A machine at its first watermark crossing, with one button that lets it continue. */
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
    <aside
      className="live"
      aria-label={HOME_STAGE.machineAtItsFirstWatermark}
      aria-busy={!frame}
      data-motion={frame?.cause === "told" ? "soft" : "none"}
    >
      <div className="live-head">
        <h2>{session?.info.title ?? HOME_STAGE.streamingReaderBesideWorkingSet}</h2>
        <span className="clock">
          <Roll value={frame?.view.position.step ?? 0}>
            {clock(frame?.view.position.time_ns ?? 0)}
          </Roll>
          <small>s</small>
        </span>
      </div>
      {engine.kind === "unavailable" && <UnavailableCard message={engine.message} />}
      {trap && <TrapCard trap={trap} />}
      {/* First in tab order; with enough room it is placed below the machine. */}
      <Decision />
      <TextStage />
    </aside>
  );
}

function Decision() {
  const workbench = useWorkbench();
  const mode = useMode();
  const view = useWorkbenchState((state) => state.session?.frame?.view);
  const announcement = useWorkbenchState((state) => state.announcement);
  const isPlaying = mode === "playing";
  const isEnded = view?.position.ended ?? false;
  const { words, decision } = useHomeStory();
  const toMoment = useMomentLink(GREETING, decision);
  const line = useWorkbenchState((state) => state.story.line);
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
        {isPlaying ? HOME_STAGE.pause : isEnded ? HOME_STAGE.again : HOME_STAGE.runOn}
      </button>
      <p>
        {!view ? (
          <span className="dim">{HOME_STAGE.engineIsStarting}</span>
        ) : isPlaying ? (
          <Caption words={words} line={line} />
        ) : view.why ? (
          <Sentence spans={view.why.sentence} />
        ) : (
          <span className="dim">{endWords(view) ?? HOME_STAGE.paused}</span>
        )}
      </p>
      <a className="btn line" {...toMoment}>
        {HOME_STAGE.stepThroughIt}
      </a>
      <p className="sr" aria-live="polite">
        {announcement}
      </p>
    </div>
  );
}

/** One plain sentence for each moment; between moments, the present activity. */
function Caption({ words, line }: { words: string | null; line: Line | null }) {
  if (line) return <span className="dim">{lineWords(line)}</span>;
  return words === null ? <span className="dim">{HOME_STAGE.memoryFills}</span> : words;
}

/** The sentence for a task that reads a file, until memory is full. */
const READS = HOME_STAGE.addsPagesToPageCache;

function lineWords(line: Line): string {
  if (line.kind === "wait") return line.words;
  const times = ` ×${count(line.times)}`;
  return line.what === READS
    ? HOME_STAGE.memoryFillsOne(times)
    : HOME_STAGE.kernel(line.what, times);
}
