// The transport of both machines: steps, playback, jumps, and the alignment.

import { type FormEvent, useState } from "react";
import { useStore } from "zustand";
import { PACES } from "../../app/pace";
import { ALIGNED_EVENTS, type Alignment } from "../../app/pair/alignment";
import { usePair, usePairState } from "../../app/pair/context";
import { modeOf } from "../../app/store";
import { actsWhen } from "../../ui/acts";
import { Icon, type IconName } from "../../ui/icons";
import { ChoiceMenu } from "../../ui/menu";
import { useSessions } from "./series";
import { TRANSPORT } from "./words";

/** Speeds in virtual time a second. */
const SPEEDS_NS = PACES.flatMap((pace) => (pace.kind === "time" ? [pace.ns_per_s] : []));

/** The index of the speed that is nearest to a speed. */
export const nearestSpeed = (pace_ns: number): number =>
  SPEEDS_NS.reduce(
    (best, speed, i) =>
      Math.abs(Math.log(speed / pace_ns)) < Math.abs(Math.log((SPEEDS_NS[best] ?? 1) / pace_ns))
        ? i
        : best,
    0,
  );

/** The speed at an index, clamped to the range. */
export const speedAt = (index: number): number =>
  SPEEDS_NS[Math.min(SPEEDS_NS.length - 1, Math.max(0, index))] ?? 1e6;

/** The bar with the transport of both machines. */
export function Transport({ next }: { next: () => void }) {
  const pair = usePair();
  const isPlaying = usePairState((state) => state.isPlaying);
  const sessions = useSessions();
  const isOpen = sessions !== null;
  const isAtStart = sessions?.every(({ frame }) => frame?.view.position.step === 0) ?? true;
  const isEnded = sessions?.every(({ frame }) => frame?.view.position.ended) ?? false;
  const button = (name: IconName, title: string, can: boolean, act: () => void) => (
    <button
      type="button"
      className="btn icon line"
      aria-label={title}
      title={title}
      {...actsWhen(isOpen && can, act)}
    >
      <Icon name={name} />
    </button>
  );
  return (
    <nav className="compare-transport" aria-label={TRANSPORT.title}>
      {button("start", TRANSPORT.start, !isAtStart, () => pair.start())}
      {button("back", TRANSPORT.back, !isAtStart, () => pair.back())}
      <button
        type="button"
        className="btn solid compare-play"
        {...actsWhen(isOpen && !(isEnded && !isPlaying), () => pair.toggle())}
      >
        <Icon name={isPlaying ? "pause" : "play"} />
        {isPlaying ? TRANSPORT.pause : TRANSPORT.play} <kbd>Space</kbd>
      </button>
      {button("into", TRANSPORT.step, !isEnded, () => pair.step())}
      {button("end", TRANSPORT.end, true, () => pair.end())}
      <span className="sep" />
      <button type="button" className="btn line" {...actsWhen(isOpen, next)}>
        {TRANSPORT.next} <kbd>D</kbd>
      </button>
      <AlignedBy />
      <Speed />
      <span className="sp" />
      <GoTo />
      <Positions />
    </nav>
  );
}

function AlignedBy() {
  const pair = usePair();
  const alignment = usePairState((state) => state.alignment);
  const lead = usePairState((state) => state.lead);
  const session = useStore(pair[lead].store, (state) => state.session);
  const programs = (session?.frame?.view.tasks ?? []).filter((task) => !task.kernel_thread);
  const nameOf = (id: number) => programs.find((task) => task.id === id)?.name ?? `task ${id}`;
  const idOf = (one: Alignment) =>
    one.by === "program" ? `program ${one.task}` : one.by === "event" ? one.event : "time";
  const wordsOf = (one: Alignment) =>
    one.by === "program"
      ? TRANSPORT.byProgram(nameOf(one.task))
      : one.by === "event"
        ? TRANSPORT.byEvent(one.event)
        : TRANSPORT.byTime;
  const all: readonly (Alignment & { readonly about: string })[] = [
    { by: "time", about: TRANSPORT.aboutTime },
    ...programs.map(({ id }) => ({
      by: "program" as const,
      task: id,
      about: TRANSPORT.aboutProgram,
    })),
    ...ALIGNED_EVENTS.map((event) => ({
      by: "event" as const,
      event,
      about: TRANSPORT.aboutEvent,
    })),
  ];
  const groupOf = (by: Alignment["by"], title: string) => ({
    title,
    choices: all
      .filter((one) => one.by === by)
      .map((one) => ({ id: idOf(one), title: wordsOf(one), about: one.about })),
  });
  return (
    <ChoiceMenu
      label={TRANSPORT.aligned}
      buttonText={wordsOf(alignment)}
      chosen={idOf(alignment)}
      groups={[
        groupOf("time", ""),
        groupOf("program", TRANSPORT.programs),
        groupOf("event", TRANSPORT.events),
      ].filter(({ choices }) => choices.length > 0)}
      choose={(id) => {
        const found = all.find((one) => idOf(one) === id);
        if (found) pair.align(found);
      }}
    />
  );
}

function Speed() {
  const pair = usePair();
  const pace_ns = usePairState((state) => state.pace_ns);
  const index = pace_ns === 0 ? 0 : nearestSpeed(pace_ns);
  return (
    <span className="compare-speed">
      <input
        type="range"
        aria-label={TRANSPORT.speed}
        min={0}
        max={SPEEDS_NS.length - 1}
        value={index}
        aria-valuetext={TRANSPORT.perSecond(speedAt(index))}
        onChange={({ currentTarget }) => pair.setPace(speedAt(Number(currentTarget.value)))}
      />
      <span className="dim">{TRANSPORT.perSecond(speedAt(index))}</span>
    </span>
  );
}

/** The id of the field for a time, which a key focuses. */
export const GO_TO_ID = "compare-go-to";

function GoTo() {
  const pair = usePair();
  const [text, setText] = useState("");
  const [isWrong, setIsWrong] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const seconds = Number(text.trim().replace(",", "."));
    const isTime = text.trim() !== "" && Number.isFinite(seconds) && seconds >= 0;
    setIsWrong(!isTime);
    if (isTime) pair.seek({ kind: "time", time_ns: Math.round(seconds * 1e9) });
  };
  return (
    <form className="compare-go" onSubmit={submit}>
      <input
        id={GO_TO_ID}
        aria-label={TRANSPORT.goTo}
        title={isWrong ? TRANSPORT.notTime : TRANSPORT.goTo}
        aria-invalid={isWrong}
        inputMode="decimal"
        placeholder="0.000"
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value);
          setIsWrong(false);
        }}
      />
      <button type="submit" className="btn line">
        {TRANSPORT.go}
      </button>
    </form>
  );
}

/** The positions of both. */
function Positions() {
  const pair = usePair();
  const lead = usePairState((state) => state.lead);
  const a = useStore(pair.a.store, (state) => state.session?.frame?.view.position);
  const b = useStore(pair.b.store, (state) => state.session?.frame?.view.position);
  const isBusy = useStore(pair[lead].store, (state) => modeOf(state) === "seeking");
  const now = lead === "a" ? a : b;
  return (
    <span className="compare-clock" aria-busy={isBusy}>
      <span className="dim">
        {TRANSPORT.step_of("A", a?.step ?? 0)} {TRANSPORT.step_of("B", b?.step ?? 0)}
      </span>
      <b>{TRANSPORT.at(now?.time_ns ?? 0)}</b>
    </span>
  );
}
