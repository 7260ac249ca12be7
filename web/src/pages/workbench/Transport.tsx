import { useCanStep, useMode, useWorkbench, useWorkbenchState } from "../../app/context";
import type { Workbench } from "../../app/controller";
import { PACES, paceAt, paceWords, TEMPOS, tempoWords } from "../../app/pace";
import { momentOf } from "../../app/store";
import { CLOCK_GAP, clock, count } from "../../engine/format";
import type { Choice } from "../../engine/types";
import { TARGETS, type TargetId, targetOf } from "../../story/run-to";
import { actsWhen } from "../../ui/acts";
import { Icon, type IconName } from "../../ui/icons";
import { ChoiceMenu } from "../../ui/menu";
import { RichText } from "../../ui/rich-text";
import { Roll } from "../../ui/roll";
import { ForkChip } from "./ForkChip";
import { LongRunBar } from "./LongRunBar";
import { TRANSPORT } from "./words";

function Control({
  icon,
  label,
  keys,
  run,
  isWordless = false,
  isDisabled = false,
}: {
  icon: IconName;
  label: string;
  keys: string;
  run: () => void;
  isWordless?: boolean;
  isDisabled?: boolean;
}) {
  return (
    <button
      type="button"
      className={isWordless ? "btn icon" : "btn"}
      aria-label={label}
      title={`${label} (${keys})`}
      {...actsWhen(!isDisabled, run)}
    >
      <Icon name={icon} />
      {!isWordless && (
        <>
          <span className="transport-word">{label}</span> <kbd>{keys}</kbd>
        </>
      )}
    </button>
  );
}

interface Command {
  readonly icon: IconName;
  readonly label: string;
  readonly keys: string;
  readonly run: (workbench: Workbench) => void;
}

/** Commands that go backwards. */
export const BACK: readonly Command[] = [
  { icon: "start", label: TRANSPORT.toStart, keys: "Home", run: (w) => w.transport.start() },
  {
    icon: "back-call",
    label: TRANSPORT.backToCall,
    keys: "⇧←",
    run: (w) => w.transport.back("call"),
  },
  { icon: "back", label: TRANSPORT.stepBack, keys: "←", run: (w) => w.transport.back("step") },
];
/** Commands that run to the end. */
export const END: readonly Command[] = [
  { icon: "end", label: TRANSPORT.toEnd, keys: "End", run: (w) => w.transport.end() },
];
/** Commands that go one step forwards. */
export const STEPS: readonly Command[] = [
  { icon: "into", label: TRANSPORT.into, keys: "→", run: (w) => w.transport.step("into") },
  { icon: "over", label: TRANSPORT.over, keys: "↓", run: (w) => w.transport.step("over") },
  { icon: "out", label: TRANSPORT.out, keys: "↑", run: (w) => w.transport.step("out") },
];

/** Buttons of several commands side by side. */
export function Group({
  commands,
  isWordless = false,
  isDisabled,
}: {
  commands: readonly Command[];
  isWordless?: boolean;
  isDisabled: boolean;
}) {
  const workbench = useWorkbench();
  return (
    <span className="group">
      {commands.map(({ run, ...command }) => (
        <Control
          key={command.label}
          {...command}
          isWordless={isWordless}
          isDisabled={isDisabled}
          run={() => run(workbench)}
        />
      ))}
    </span>
  );
}

/** Run, pause, step, go back, go to, speed, clock. */
export function Transport() {
  const isBusy = useMode() !== "paused";
  const canStep = useCanStep();
  const isAtStart = useWorkbenchState((s) => s.session?.frame?.view.position.step === 0);
  const isEnded = useWorkbenchState((s) => s.session?.frame?.view.position.ended ?? false);
  const longRun = useWorkbenchState((state) => state.longRun);
  return (
    <nav className="bar trans" aria-label={TRANSPORT.transport}>
      <Group commands={BACK} isWordless isDisabled={isBusy || isAtStart} />
      <PlayButton />
      <Group commands={END} isWordless isDisabled={isBusy || isEnded} />
      <span className="sep" />
      {longRun ? (
        <LongRunBar longRun={longRun} />
      ) : (
        <>
          <Group commands={STEPS} isDisabled={!canStep || isEnded} />
          <RunToNext isDisabled={isBusy} />
          <span className="sep" />
          <Speed />
          <span className="sp" />
          <ForkChip />
        </>
      )}
      <Clock />
    </nav>
  );
}

/** The text of the solid button by mode: it stops the machine or continues playback. */
const PLAY_WORDS = {
  none: TRANSPORT.play,
  paused: TRANSPORT.play,
  playing: TRANSPORT.pause,
  seeking: TRANSPORT.stop,
} as const;

/** The solid button: plays, pauses, or stops a long run. */
export function PlayButton() {
  const workbench = useWorkbench();
  const mode = useMode();
  const words = PLAY_WORDS[mode];
  return (
    <button
      type="button"
      className="btn solid play"
      aria-label={words}
      disabled={mode === "none"}
      onClick={() => workbench.transport.toggle()}
    >
      <Icon name={words === "Play" ? "play" : "pause"} />
      {words} <kbd>Space</kbd>
    </button>
  );
}

const TEMPO_CHOICES: readonly Choice[] = [
  {
    id: "events",
    title: TRANSPORT.byEvents,
    about: TRANSPORT.byEventsHelp,
  },
  {
    id: "clock",
    title: TRANSPORT.byClock,
    about: TRANSPORT.byClockHelp,
  },
];

/** Chooses the speed, and shows the speed reached. */
export function Speed() {
  const workbench = useWorkbench();
  const tempo = useWorkbenchState((state) => state.tempo);
  const pace = useWorkbenchState((state) => state.paceIndex);
  const tempoIndex = useWorkbenchState((state) => state.tempoIndex);
  const isUsable = useWorkbenchState((state) => state.session !== null);
  const { transport } = workbench;
  const isByEvents = tempo === "events";
  const { amount, unit } = isByEvents
    ? { amount: tempoWords(tempoIndex), unit: "" }
    : paceWords(paceAt(pace));
  return (
    <span className="speed">
      <ChoiceMenu
        label={TRANSPORT.tempo}
        className="chip tempo"
        buttonText={isByEvents ? TRANSPORT.byEvents : TRANSPORT.byClock}
        chosen={tempo}
        choices={TEMPO_CHOICES}
        choose={(id) => transport.setTempo(id === "events" ? "events" : "clock")}
      />
      <input
        type="range"
        aria-label={TRANSPORT.speed}
        min="0"
        max={(isByEvents ? TEMPOS : PACES).length - 1}
        value={isByEvents ? tempoIndex : pace}
        disabled={!isUsable}
        aria-valuetext={`${amount} ${unit}`.trim()}
        onChange={({ currentTarget: { value } }) =>
          isByEvents ? transport.setTempoIndex(Number(value)) : transport.setPace(Number(value))
        }
      />
      <span className="amount">
        <b>{amount}</b> {unit}
      </span>
    </span>
  );
}

const TARGET_CHOICES: readonly Choice[] = TARGETS.map(({ id, words }) => ({
  id,
  title: words,
  about: "",
}));

const isTarget = (id: string): id is TargetId => TARGETS.some((target) => target.id === id);

/** Runs to the next event of a kind; the menu chooses the kind and runs. */
function RunToNext({ isDisabled }: { isDisabled: boolean }) {
  const workbench = useWorkbench();
  const target = useWorkbenchState((state) => state.target);
  const { runTo } = workbench.story;
  const { words } = targetOf(target);
  return (
    <span className="run-to">
      <button
        type="button"
        className="btn"
        aria-label={TRANSPORT.nextLabel(words)}
        title={TRANSPORT.nextHelp(words)}
        {...actsWhen(!isDisabled, () => void runTo.go("next"))}
      >
        <RichText text={TRANSPORT.nextN} parts={{ kbd: (text) => <kbd>{text}</kbd> }} />
      </button>
      <ChoiceMenu
        label={TRANSPORT.runTo}
        className="chip target"
        buttonText={words}
        chosen={target}
        choices={TARGET_CHOICES}
        choose={(id) => {
          if (!isTarget(id)) return;
          runTo.choose(id);
          void runTo.go("next");
        }}
      />
    </span>
  );
}

/** Virtual time; the parts above and below a millisecond roll separately. */
function Digits({ time_ns }: { time_ns: number }) {
  const [above = "", below = ""] = clock(time_ns).split(CLOCK_GAP);
  return (
    <>
      <Roll value={above}>{above}</Roll>
      {CLOCK_GAP}
      <Roll value={below}>{below}</Roll>
    </>
  );
}

/** The step and its target fit in one line up to this number of characters. */
const ONE_LINE = 20;

/** Virtual time and step; a press opens the "Go to" dialog. Long step numbers take two lines. */
export function Clock() {
  const workbench = useWorkbench();
  const frame = useWorkbenchState((state) => state.session?.frame ?? null);
  const now_ns = useWorkbenchState(momentOf);
  const longRun = useWorkbenchState((state) => state.longRun);
  const position = longRun?.at ?? frame?.view.position;
  const step = position?.step ?? 0;
  const here = count(step);
  const goal = count(longRun?.goal_step ?? Math.max(frame?.furthest.step ?? 0, step));
  return (
    <button
      type="button"
      className="clocks"
      aria-haspopup="dialog"
      title={TRANSPORT.goToStep}
      disabled={!position}
      onClick={() => workbench.showDialog("goto")}
    >
      <span className="clock">
        <Digits time_ns={now_ns} />
        <small>s</small>
      </span>
      <span
        className="event"
        hidden={!position}
        data-lines={here.length + goal.length > ONE_LINE ? 2 : 1}
      >
        <b>
          #<Roll value={step}>{here}</Roll>
        </b>{" "}
        <span>{TRANSPORT.goalOfEnded(goal, frame?.furthest.ended)}</span>
      </span>
    </button>
  );
}
