// The view model of an open machine: the state and the actions that the timeline and the event log
// use. The data comes from the machine's files instead of the engine.

import { createStore, type StoreApi } from "zustand/vanilla";
import type {
  RunViewModel,
  RunViewSetup,
  RunViewState,
  SeekTarget,
} from "../../app/run-view-model";
import { EMPTY_SETUP } from "../../app/setup";
import { type DialogName, type Key, type Layout, NO_STORY } from "../../app/store";
import type { CaptureClient } from "../../engine/capture/client";
import { recordsOf } from "../../engine/capture/lanes";
import type { MomentValues } from "../../engine/capture/moments";
import type { Machine } from "../../engine/capture/open";
import { LastAsked } from "../../engine/last-asked";
import type { AskLog } from "../../engine/log-turns";
import type { Run, RunInfo, RunView } from "../../engine/run";
import type { Catalog } from "../../engine/types";
import { type Beside, countersBeside, NO_TWIN, withTwin } from "./beside";

/** The state of a machine's view model. */
export interface MachineViewState extends RunViewState {
  readonly dialog: DialogName | null;
  readonly session: Run & { readonly frame: NonNullable<Run["frame"]> };
}

/** The parts of a worker's client that this module uses. */
export type MachineSource = Pick<CaptureClient, "reader" | "at">;

/** The order of migrate types in rows. */
const MIGRATETYPES = ["Unmovable", "Movable", "Reclaimable"];
/** The counters that are drawn at first, if the machine has them. */
const FIRST_TRACKS = ["pgscan_kswapd", "pgscan_direct", "pgsteal_kswapd", "pgsteal_direct"];
const MOST_FIRST = 2;

/** Data that is constant while a machine is open. */
function infoOf(machine: Machine): RunInfo {
  const { capture, trace } = machine;
  const types = machine.zones.map(({ key }) => key.split("/")[1] ?? "");
  return {
    experiment: machine.name,
    workload: capture?.workload ?? "",
    kernel: capture?.kernel ?? trace?.info.dialect?.name ?? "unknown",
    title: machine.name,
    length_ns: machine.length_ns,
    page_size: (capture?.page_kib ?? 4) * 1024,
    migratetypes: MIGRATETYPES,
    zone_types: capture ? [...new Set(types)] : [],
  };
}

/** The view of a machine at a moment. */
function viewOf(machine: Machine, values: MomentValues): RunView {
  const { zones, sampled, trace } = machine;
  return {
    position: { step: values.step, time_ns: values.time_ns },
    zones: zones
      .slice(0, sampled)
      .map(({ key, managed, low }, i) => ({ key, managed, low, free: values.free[i] ?? 0 })),
    tasks: (trace?.info.tasks ?? []).map(({ id, pid, comm }) => ({
      id,
      pid,
      name: comm === "" ? `pid ${pid}` : `${comm}-${pid}`,
      kernel_thread: /^(?:kswapd|kcompactd|kworker|ksoftirqd|khugepaged)/.test(comm),
      function: "",
    })),
    counters: values.counters,
    lru: [],
    devices: [],
    nodes: [],
  };
}

/** The catalog with the kinds of events that only this trace has. */
function catalogWith(catalog: Catalog, { trace }: Machine): Catalog {
  if (!trace) return catalog;
  // The kinds of a trace have fields that the engine's kinds do not.
  return { ...catalog, records: recordsOf(catalog.records, trace.info) as Catalog["records"] };
}

/** The view model of one machine with one open trace. */
export class MachineViewModel implements RunViewModel {
  readonly store: StoreApi<MachineViewState>;
  readonly transport: RunViewModel["transport"];
  readonly #machine: Machine;
  readonly #source: MachineSource;
  readonly #seeks = new LastAsked();
  readonly #draws = new LastAsked();
  #pairs: readonly number[] = [];
  #beside: Beside = NO_TWIN;
  #tracks = "";

  constructor(machine: Machine, source: MachineSource, catalog: Catalog) {
    this.#machine = machine;
    this.#source = source;
    const first: MomentValues = { step: 0, time_ns: machine.length_ns, free: [], counters: [] };
    const known = new Set(machine.known.map(({ name }) => name));
    this.store = createStore<MachineViewState>(() => ({
      ...EMPTY_SETUP,
      tracks: FIRST_TRACKS.filter((name) => known.has(name)).slice(0, MOST_FIRST),
      engine: { kind: "ready", catalog: catalogWith(catalog, machine) },
      session: {
        info: infoOf(machine),
        experiment: null,
        frame: this.#frame(first),
        timeline: new Float64Array(),
        counters: machine.known,
      },
      hovered: null,
      story: NO_STORY,
      longRun: null,
      scrub_ns: null,
      layout: { chosen_px: null, time_px: null, isLine: false, isCodeOpen: false },
      dialog: null,
    }));
    this.transport = { seek: (place) => this.#seek(place) };
    this.#draw();
    this.#seek({ kind: "time", time_ns: machine.length_ns });
  }

  /** Highlights something in all views, or nothing. */
  hover(hovered: Key | null) {
    if (this.store.getState().hovered !== hovered) this.store.setState({ hovered });
  }

  /** Selects or deselects. */
  select(key: Key) {
    const { selected } = this.store.getState();
    const rest = selected.filter((other) => other !== key);
    this.store.setState({ selected: selected.includes(key) ? rest : [...rest, key] });
  }

  /** Changes what the user set up around the run. */
  keep(setup: Partial<RunViewSetup>) {
    this.store.setState(setup);
  }

  /** Draws other counters. */
  setTracks(pairs: readonly number[]) {
    const asked = pairs.join();
    if (asked === this.#tracks) return;
    this.#tracks = asked;
    this.#pairs = pairs;
    this.#draw();
  }

  /** Opens a dialog. */
  showDialog(dialog: DialogName) {
    this.store.setState({ dialog });
  }

  /** Closes the dialog that is open. */
  closeDialog() {
    this.store.setState({ dialog: null });
  }

  /** Changes the layout. */
  layOut(part: Partial<Layout>) {
    this.store.setState({ layout: { ...this.store.getState().layout, ...part } });
  }

  /** A new reader of the machine's records and moments, including those of the twin. */
  log(): AskLog {
    const read = this.#source.reader();
    return async (act) => {
      if (act.kind !== "sample") return read(act);
      const answer = await read({ ...act, pairs: realPairs(act.pairs) });
      return { ...answer, rows: withTwin(answer.rows, this.#machine, act.pairs, this.#beside) };
    };
  }

  /** Shows a simulated run together with the machine, or removes it. */
  setBeside(beside: Beside) {
    this.#beside = beside;
    const { session } = this.store.getState();
    const counters = [...this.#machine.known, ...beside.counters];
    const tracks = this.store
      .getState()
      .tracks.filter((name) => counters.some((counter) => counter.name === name));
    const added = beside.counters
      .map(({ name }) => name)
      .filter((name) => tracks.some((track) => name.startsWith(`${track} `)));
    this.store.setState({
      tracks: [...tracks, ...added.filter((name) => !tracks.includes(name))],
      session: { ...session, counters, frame: this.#withBeside(session.frame) },
    });
    this.#draw();
  }

  #frame(values: MomentValues): NonNullable<Run["frame"]> {
    return this.#withBeside({
      view: viewOf(this.#machine, values),
      furthest: { time_ns: this.#machine.length_ns, ended: true },
      mode: { kind: "paused" },
    });
  }

  #withBeside(frame: NonNullable<Run["frame"]>): NonNullable<Run["frame"]> {
    const { view } = frame;
    const { sampled, trace } = this.#machine;
    const tasks = view.tasks.slice(0, trace?.info.tasks.length ?? 0);
    const zones = view.zones.slice(0, sampled);
    const own = view.counters.slice(0, this.#machine.known.length);
    const { time_ns } = view.position;
    return {
      ...frame,
      view: {
        ...view,
        tasks: [...tasks, ...this.#beside.tasks],
        zones: [...zones, ...this.#beside.zones],
        counters: [...own, ...countersBeside(this.#beside, time_ns)],
      },
    };
  }

  /** Reads the whole timeline again. */
  #draw() {
    const pairs = this.#pairs;
    const ask = this.log();
    const to = this.#machine.trace?.info.stored ?? 0;
    void this.#draws.ask(async (heard) => {
      const act = { kind: "sample", from: 0, to, every: 1, every_ns: 0, pairs } as const;
      const { rows } = await heard(ask(act));
      this.store.setState({ session: { ...this.store.getState().session, timeline: rows } });
    });
  }

  #seek(place: SeekTarget) {
    if (place.kind === "time") this.store.setState({ scrub_ns: place.time_ns });
    void this.#seeks.ask(async (heard) => {
      const values = await heard(this.#source.at(place));
      const { session } = this.store.getState();
      this.store.setState({ scrub_ns: null, session: { ...session, frame: this.#frame(values) } });
    });
  }
}

/** The pairs of the machine's own counters. */
const realPairs = (pairs: readonly number[]): number[] =>
  pairs.flatMap((number, i) => (i % 2 === 0 && pairs[i + 1] === 0 ? [number, 0] : []));
