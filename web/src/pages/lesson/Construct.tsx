import { count } from "../../engine/format";
import { isTrue, readAt, readOf } from "../../lessons/readings";
import {
  type Build,
  type Knob,
  knobOf,
  type LessonData,
  type Setting,
  valueName,
} from "../../lessons/schema";
import { actsWhen } from "../../ui/acts";
import { Icon } from "../../ui/icons";
import { RichText } from "../../ui/rich-text";
import { useLesson, useLessonState } from "./context";
import { builtIn, type Trial, trialKey } from "./controller";
import { Filled } from "./Filled";
import { KnobChoice, KnobName } from "./KnobChoice";
import { CONSTRUCT } from "./words";

type Tried = Extract<Trial, { kind: "tried" }>;

/** A build task: the reader changes settings until the runs meet a condition. */
export function Construct({ id }: { id: string }) {
  const controller = useLesson();
  const build = controller.lesson.builds.find((each) => each.id === id);
  if (!build) throw new Error(`the lesson has no build called ${id}`);
  // The changed settings: the stored object is stable, the default is not.
  useLessonState((state) => state.built[id]);
  const { set, isTried } = builtIn(controller.store.getState(), build);
  const built = useLessonState((state) => state.trials[trialKey(build, set)]);
  const trial = isTried ? built : undefined;
  const isRunning = trial?.kind === "running";
  return (
    <section className="ask construct" aria-label={CONSTRUCT.construction}>
      <h3>{build.ask}</h3>
      {build.parts.map(({ knob: part, values }) => (
        <div className="knobs" key={part}>
          <KnobName knob={knobOf(controller.lesson, part)} />
          <KnobChoice
            knob={knobOf(controller.lesson, part)}
            values={values}
            chosen={set[part] ?? null}
            choose={(value) => controller.turn(build, part, value)}
          />
        </div>
      ))}
      <div className="go">
        <button
          type="button"
          className="btn solid"
          {...actsWhen(!isRunning, () => void controller.tryOut(build))}
        >
          <Icon name="play" />
          {CONSTRUCT.tryIt}
        </button>
        <span>
          {isRunning ? (
            <RichText
              text={CONSTRUCT.engineRunsStep}
              parts={{ step: <b>{count(trial.step)}</b> }}
            />
          ) : (
            CONSTRUCT.itRunsOnceWithEach(knobOf(controller.lesson, build.compare.knob).word)
          )}
        </span>
      </div>
      <div role="status">
        {trial?.kind === "failed" && (
          <p className="result">{CONSTRUCT.runsFailed(trial.message)}</p>
        )}
        {trial?.kind === "refused" && (
          <p className="result" data-right={false}>
            <b>{CONSTRUCT.engineRefusesIt}</b> {refusalWords(controller.lesson, trial.reason)}
          </p>
        )}
        {trial?.kind === "tried" && <Outcome build={build} set={set} trial={trial} />}
      </div>
    </section>
  );
}

/** The reason for a refusal, with the knobs' names for patches. */
const refusalWords = ({ knobs }: LessonData, reason: string): string =>
  Object.values(knobs).reduce(
    (words, { turns, word }) => words.replaceAll(`'${turns.replace(/^patch /, "")}'`, `“${word}”`),
    reason,
  );

/** The results of the runs, side by side, and whether the condition is met. */
function Outcome({ build, set, trial }: { build: Build; set: Setting; trial: Tried }) {
  const controller = useLesson();
  const knob = knobOf(controller.lesson, build.compare.knob);
  const views = Object.entries(trial.ends).map(([value, { view }]) => [value, view] as const);
  const read = readOf(Object.fromEntries(views));
  const isMet = build.goal.every((each) => isTrue(read, each));
  const remark = build.says.find((each) => isTrue(read, each.if));
  return (
    <div className="result" data-right={isMet}>
      <p>
        <b>{isMet ? CONSTRUCT.built : CONSTRUCT.notYet}</b>{" "}
        {remark && <Filled text={remark.because} read={read} />}
      </p>
      <Sides build={build} knob={knob} trial={trial} />
      <div className="go">
        {build.compare.values.map((value) => (
          <button
            key={value}
            type="button"
            className="btn line"
            onClick={() => void controller.showTrial(build, set, value)}
          >
            {CONSTRUCT.show(valueName(knob, value))}
          </button>
        ))}
      </div>
    </div>
  );
}

function Sides({ build, knob, trial }: { build: Build; knob: Knob; trial: Tried }) {
  return (
    <table className="figures">
      <thead>
        <tr>
          <th scope="col">{CONSTRUCT.atEnd}</th>
          {build.compare.values.map((value) => (
            <th scope="col" key={value}>
              {valueName(knob, value)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {build.rows.map(([name, words]) => (
          <tr key={name}>
            <th scope="row">{words}</th>
            {build.compare.values.map((value) => {
              const end = trial.ends[value];
              return <td key={value}>{end && count(Math.round(readAt(end.view)(name)))}</td>;
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
