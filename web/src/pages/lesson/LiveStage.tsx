import { useMode, useWorkbench, useWorkbenchState } from "../../app/context";
import { switchProjector } from "../../app/projector";
import { endWords } from "../../engine/end";
import { clock, count } from "../../engine/format";
import { machineReading } from "../../lessons/readings";
import { type Knob, knobOf, type LessonData, type Setting, valueName } from "../../lessons/schema";
import { TrapCard, UnavailableCard } from "../../stage/Cards";
import { TextStage } from "../../stage/TextStage";
import { actsWhen } from "../../ui/acts";
import { pageZoom, useFit } from "../../ui/fit";
import { Icon } from "../../ui/icons";
import { RichText } from "../../ui/rich-text";
import { Roll } from "../../ui/roll";
import { Sentence } from "../../ui/sentence";
import { useLesson, useLessonState } from "./context";
import { LIVE_STAGE } from "./words";

/**
 * The live machine next to the prose, with its clock, its numbers and the engine's own sentence.
 */
export function LiveStage() {
  const session = useWorkbenchState((state) => state.session);
  const engine = useWorkbenchState((state) => state.engine);
  const trap = useWorkbenchState((state) => state.trap);
  const { lesson } = useLesson();
  const { machine } = lesson.experiments;
  const nodes = typeof machine === "string" ? [] : machine.nodes;
  const { isProjector, text, unprojected } = useFit();
  return (
    <aside
      className="live"
      aria-label={LIVE_STAGE.liveStage}
      aria-busy={!session?.frame}
      // The prose behind it keeps its size and position.
      style={isProjector ? pageZoom(text / unprojected.text) : undefined}
    >
      <Head />
      {engine.kind === "unavailable" && <UnavailableCard message={engine.message} />}
      {trap && <TrapCard trap={trap} />}
      {/* The height of the machine is known before it loads: on a small machine each range is a
          zone. */}
      <TextStage zones={nodes.map(({ ranges }) => ranges.length).join()} about={lesson.stage} />
      <Counters />
      <Narration />
    </aside>
  );
}

function Head() {
  const { lesson } = useLesson();
  const { isProjector, canProject } = useFit();
  const session = useWorkbenchState((state) => state.session);
  const scene = useLessonState((state) => state.scene);
  const position = session?.frame?.view.position;
  const turned = turnedWords(lesson, scene?.set ?? {});
  return (
    <div className="live-head">
      <h2>{session?.info.title ?? LIVE_STAGE.starting}</h2>
      {/* Shown after the title, because they would move when the title appears. */}
      {(session ? turned : []).map((words) => (
        <span key={words} className="cap">
          {words}
        </span>
      ))}
      <span className="clock">
        <Roll value={position?.step ?? 0}>{clock(position?.time_ns ?? 0)}</Roll>
        <small>s</small>
      </span>
      {canProject && (
        <button
          type="button"
          className="btn icon line"
          aria-label={LIVE_STAGE.projectorMode}
          aria-pressed={isProjector}
          title={isProjector ? LIVE_STAGE.backToLessonP : LIVE_STAGE.fillWindowForProjectorP}
          onClick={switchProjector}
        >
          <Icon name={isProjector ? "cross" : "projector"} />
        </button>
      )}
    </div>
  );
}

/** The changed knobs in words. The experiment is in the title; single patches are counted. */
export function turnedWords(lesson: LessonData, set: Setting): string[] {
  const all = Object.entries(set).map(([id, value]) => ({ knob: knobOf(lesson, id), value }));
  const isBare = all.some(({ knob, value }) => knob.turns === "patches" && value === "none");
  const isPatch = ({ turns }: Knob) => turns.startsWith("patch ");
  const patches = all.filter(({ knob, value }) => isPatch(knob) && value === "in").length;
  const words = all
    .filter(({ knob }) => knob.turns !== "experiment" && !isPatch(knob))
    .map(({ knob, value }) => `${knob.word} ${valueName(knob, value)}`);
  if (patches === 0 || isBare) return words;
  return [...words, LIVE_STAGE.countedPatchesPatchPatches(patches)];
}

/** The lesson's counters under the stage. */
function Counters() {
  const { counters } = useLesson().lesson;
  const view = useWorkbenchState((state) => state.session?.frame?.view);
  return (
    <dl className="counts" aria-label={LIVE_STAGE.counters}>
      {counters.map(([name, words]) => {
        const value = view ? machineReading(view, name) : 0;
        return (
          <div key={name} title={name}>
            <dt>{words}</dt>
            <dd>
              <Roll value={value}>{count(value)}</Roll>
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

function Narration() {
  const workbench = useWorkbench();
  const mode = useMode();
  const frame = useWorkbenchState((state) => state.session?.frame ?? null);
  const announcement = useWorkbenchState((state) => state.announcement);
  const isAtRest = mode === "paused";
  const isPlaying = mode === "playing";
  const position = frame?.view.position;
  return (
    <div className="nar">
      <nav className="group" aria-label={LIVE_STAGE.transport}>
        <button
          type="button"
          className="btn icon line"
          aria-label={LIVE_STAGE.stepBackLabel}
          title={LIVE_STAGE.stepBackLabel}
          {...actsWhen(isAtRest && position?.step !== 0, () => workbench.transport.back("step"))}
        >
          <Icon name="back" />
        </button>
        <button
          type="button"
          className="btn icon solid"
          aria-label={isPlaying ? LIVE_STAGE.pause : LIVE_STAGE.play}
          title={isPlaying ? LIVE_STAGE.pause : LIVE_STAGE.play}
          {...actsWhen(mode !== "none" && !(isAtRest && position?.ended), () =>
            workbench.transport.toggle(),
          )}
        >
          <Icon name={isPlaying ? "pause" : "play"} />
        </button>
        <button
          type="button"
          className="btn icon line"
          aria-label={LIVE_STAGE.stepLabel}
          title={LIVE_STAGE.stepLabel}
          {...actsWhen(isAtRest && !position?.ended, () => workbench.transport.step("into"))}
        >
          <Icon name="into" />
        </button>
      </nav>
      <p>
        <Announcement />
      </p>
      <span className="cap">#{count(position?.step ?? 0)}</span>
      <p className="sr" aria-live="polite">
        {announcement}
      </p>
    </div>
  );
}

/** The engine's sentence about the last step, or the machine's present position. */
function Announcement() {
  const view = useWorkbenchState((state) => state.session?.frame?.view);
  const mode = useMode();
  if (!view) return <span className="dim">{LIVE_STAGE.engineIsStarting}</span>;
  if (mode === "playing") return <span className="dim">{LIVE_STAGE.running}</span>;
  if (view.why) return <Sentence spans={view.why.sentence} />;
  const end = endWords(view);
  if (end) return <span className="dim">{end}</span>;
  const task = view.tasks.find(({ id }) => id === view.ran);
  if (!task?.function) return <span className="dim">{LIVE_STAGE.continues(task?.name)}</span>;
  return (
    <span className="dim">
      <RichText text={LIVE_STAGE.isIn(task.name)} parts={{ code: <code>{task.function}</code> }} />
    </span>
  );
}
