import { lazy, Suspense, useState } from "react";
import { useStore } from "zustand";
import { catalogOf } from "../../app/run-view-model";
import type { Machine } from "../../engine/capture/open";
import { EventLog } from "../../log/EventLog";
import { Timeline } from "../../timeline/Timeline";
import { Counters } from "./Counters";
import { EventPart } from "./EventPart";
import type { MachineViewModel } from "./machine-view-model";
import { ReclaimPart } from "./ReclaimPart";
import { Reports } from "./Reports";
import { Statics } from "./Statics";
import { TwinEvents, TwinLink } from "./TwinEvents";
import { TwinPart } from "./TwinPart";
import type { Compared } from "./twin";
import { WhatWasRead } from "./WhatWasRead";
import { READ } from "./words";
import "../../log/log.css";
import { MACHINE_PARTS } from "./words";

const TracksDialog = lazy(() => import("./later").then(({ TracksDialog: D }) => ({ default: D })));
const RangeDialog = lazy(() => import("./later").then(({ RangeDialog: D }) => ({ default: D })));

/** All parts of the page that show an open machine. */
export function MachineParts({ machine, model }: { machine: Machine; model: MachineViewModel }) {
  const [compared, setCompared] = useState<readonly Compared[] | null>(null);
  const hasTime = machine.trace !== null || machine.samples !== null;
  return (
    <>
      <WhatWasRead machine={machine} />
      {machine.explanation && <Reports explanation={machine.explanation} />}
      {machine.statics && <Statics statics={machine.statics} />}
      {hasTime && <OverTime machine={machine} model={model} />}
      {machine.capture && (
        <TwinPart
          key={machine.trace?.name}
          machine={machine}
          capture={machine.capture}
          model={model}
          compare={setCompared}
        />
      )}
      {machine.trace && <Events machine={machine} model={model} hasTwin={compared !== null} />}
      {machine.trace && <ReclaimPart machine={machine} model={model} />}
      {machine.counters.length > 0 && <Counters counters={machine.counters} compared={compared} />}
      <Dialogs model={model} />
    </>
  );
}

/** The height of the timeline until the user changes it: room for its rows, within limits, px. */
function firstHeight(machine: Machine, tracks: number): number {
  const tasks = Math.min(MOST_TASKS, machine.trace?.info.tasks.length ?? 0);
  const px = HEADS_PX + tasks * TASK_PX + machine.sampled * ZONE_PX + tracks * TRACK_PX;
  return Math.min(MOST_TIME_PX, px);
}

const [HEADS_PX, TASK_PX, ZONE_PX, TRACK_PX, MOST_TASKS, MOST_TIME_PX] = [64, 13, 56, 30, 10, 520];

function OverTime({ machine, model }: { machine: Machine; model: MachineViewModel }) {
  const session = useStore(model.store, (state) => state.session);
  const height = useStore(model.store, ({ layout }) => layout.chosen_px);
  const tracks = useStore(model.store, (state) => state.tracks.length);
  const twins = session.frame.view.zones.length - machine.sampled;
  const isFolded = useStore(model.store, (state) => state.isFolded);
  return (
    <div
      className="trace-time"
      style={{
        blockSize: isFolded ? "auto" : (height ?? firstHeight(machine, tracks) + twins * ZONE_PX),
      }}
      data-machine={machine.name}
    >
      <Timeline session={session} />
    </div>
  );
}

function Events({
  machine,
  model,
  hasTwin,
}: {
  machine: Machine;
  model: MachineViewModel;
  /** The twin has run: its events can be shown instead. */
  hasTwin: boolean;
}) {
  const [isChosen, choose] = useState(false);
  const isTwin = isChosen && hasTwin;
  const { info, frame } = useStore(model.store, (state) => state.session);
  const catalog = useStore(model.store, catalogOf);
  const texts = machine.trace?.info.texts;
  // Names of all zones; the timeline has only those with samples of free pages.
  const zones = machine.zones.map(({ key, managed, low }) => ({ key, managed, low, free: 0 }));
  if (!catalog) return null;
  const view = { ...frame.view, zones };
  return (
    <div className="trace-events">
      <section className="trace-log" aria-labelledby="trace-log">
        <h2 id="trace-log">{MACHINE_PARTS.eventLog}</h2>
        {hasTwin && <WhoseEvents isTwin={isTwin} choose={choose} />}
        {isTwin ? (
          <TwinEvents />
        ) : (
          <EventLog info={info} view={view} catalog={catalog} onGo={() => {}} texts={texts} />
        )}
      </section>
      {isTwin ? (
        <section className="trace-event" aria-labelledby="trace-event">
          <h2 id="trace-event">{MACHINE_PARTS.twin}</h2>
          <TwinLink />
        </section>
      ) : (
        <EventPart machine={machine} model={model} catalog={catalog} view={view} />
      )}
    </div>
  );
}

/** Chooses whose events the log shows. */
function WhoseEvents({ isTwin, choose }: { isTwin: boolean; choose: (isTwin: boolean) => void }) {
  return (
    <fieldset className="trace-whose">
      <legend className="sr">{MACHINE_PARTS.whoseEvents}</legend>
      {[false, true].map((of) => (
        <label key={`${of}`}>
          <input
            type="radio"
            name="trace-whose"
            checked={isTwin === of}
            onChange={() => choose(of)}
          />
          {of ? READ.ofTwin : READ.ofMachine}
        </label>
      ))}
    </fieldset>
  );
}

function Dialogs({ model }: { model: MachineViewModel }) {
  const dialog = useStore(model.store, (state) => state.dialog);
  const close = () => model.closeDialog();
  return (
    <Suspense>
      {dialog === "tracks" && <TracksDialog close={close} />}
      {dialog === "range" && <RangeDialog close={close} />}
    </Suspense>
  );
}
