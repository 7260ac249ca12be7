// Compares the position of the engine with the position in a link: reproduced, different, or from
// another engine.

import { LastAsked } from "../engine/last-asked";
import type { Answer, EngineRequest, Frame } from "../engine/protocol";
import type { Position } from "../engine/types";
import type { Link } from "../link/link";
import type { LinkCursor } from "../link/schema";
import type { WorkbenchStore } from "./store";
import { ARRIVAL } from "./words";

/** The position of the engine. */
export interface Here {
  readonly hash: string;
  readonly position: Position;
  /** The engine's version. */
  readonly engine: string;
}

/** One sentence about how well the link's moment was reproduced. */
export function verdict(cursor: LinkCursor, here: Here): string {
  const { step, time_ns } = here.position;
  if (cursor.engine !== here.engine) {
    const age = isNewer(here.engine, cursor.engine) ? "newer" : "older";
    return ARRIVAL.otherEngine(cursor.engine, age, here.engine, time_ns);
  }
  if (step !== cursor.step) {
    return ARRIVAL.endsEarlier(cursor.step, step);
  }
  return cursor.hash === here.hash
    ? ARRIVAL.reproduced(step, here.hash)
    : ARRIVAL.differs(step, here.hash, cursor.hash);
}

/** Compares version numbers such as 0.10.2. */
function isNewer(a: string, b: string): boolean {
  const [left, right] = [a, b].map((version) =>
    version.split(/[.-]/).map((part) => Number(part) || 0),
  );
  const length = Math.max(left?.length ?? 0, right?.length ?? 0);
  for (let i = 0; i < length; i += 1) {
    const difference = (left?.[i] ?? 0) - (right?.[i] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

/** The parts of the workbench that this module needs. */
export interface ArrivalBench {
  readonly send: (request: EngineRequest) => void;
  /** Announces a text in the live region. */
  readonly say: (words: string) => void;
  readonly askHash: () => Promise<Extract<Answer, { kind: "hash" }>>;
}

/** Brings the machine to the moment of a link. */
export class Arrival {
  readonly #store: WorkbenchStore;
  readonly #bench: ArrivalBench;
  /** The open link, until the machine is at its moment. */
  #arriving: { readonly link: Link; readonly isOwn: boolean; readonly byTime: boolean } | null =
    null;
  /** The result of the comparison; another experiment or an action of the user clears it. */
  readonly #arrived = new LastAsked();

  constructor(store: WorkbenchStore, bench: ArrivalBench) {
    this.#store = store;
    this.#bench = bench;
  }

  /** Handles an opened link; null if the experiment is not from a link. */
  begin(link: Link | null, isOwn: boolean) {
    this.#arriving = link && { link, isOwn, byTime: false };
  }

  /** Another experiment was opened. */
  stop() {
    this.#arrived.stop();
  }

  /** The user has acted, so the seek to the link's time is cancelled. */
  leave() {
    this.stop();
    if (this.#arriving?.byTime) this.#arriving = null;
  }

  /**
   * Whether the machine is at the link's moment. If another engine has another time at the link's
   * step, this seeks to the link's time instead.
   */
  isThere({ cause, view: { position } }: Frame): boolean {
    const { engine } = this.#store.getState();
    if (!this.#arriving || engine.kind !== "ready") return true;
    const { link, isOwn, byTime } = this.#arriving;
    if (cause !== (byTime ? "sought" : "opened")) return true;
    const { cursor } = link;
    if (
      cursor &&
      !byTime &&
      cursor.engine !== engine.version &&
      position.time_ns !== cursor.time_ns
    ) {
      this.#arriving = { link, isOwn, byTime: true };
      this.#bench.send({ kind: "go", goal: { kind: "time", time_ns: cursor.time_ns } });
      return false;
    }
    this.#arriving = null;
    if (!isOwn) void this.#compare(link);
    return true;
  }

  /** Compares the position in a link with the engine's. */
  #compare({ cursor, title }: Link): Promise<void> {
    return this.#arrived.ask(async (heard) => {
      const { engine } = this.#store.getState();
      if (!cursor || engine.kind !== "ready") return;
      const { hash, position } = await heard(this.#bench.askHash());
      const text = verdict(cursor, { hash, position, engine: engine.version });
      this.#store.setState({ notice: text ? { text, undo: null } : null });
      this.#bench.say([title, text].filter(Boolean).join(". "));
    });
  }
}
