// One of the two machines: its experiment, its zones and page maps, and its last decision.

import { useWorkbenchState, WorkbenchContext } from "../../app/context";
import { usePaintedFrames } from "../../app/painted";
import { usePairState } from "../../app/pair/context";
import type { Pair, Side } from "../../app/pair/pair";
import type { Session, WorkbenchState } from "../../app/store";
import { endWords } from "../../engine/end";
import { clock, count } from "../../engine/format";
import type { Frame } from "../../engine/protocol";
import { writeFragment } from "../../link/router";
import { TrapCard, UnavailableCard } from "../../stage/Cards";
import { Stage } from "../../stage/Stage";
import { Icon } from "../../ui/icons";
import { useLater } from "../../ui/later";
import { Sentence } from "../../ui/sentence";
import { Badge } from "./Badge";
import { PAGE } from "./words";

interface PaneProps {
  readonly pair: Pair;
  readonly side: Side;
  /** Opens the dialog that chooses this machine. */
  readonly choose: () => void;
}

/** One machine, inside its own workbench context. */
export function Pane({ pair, side, choose }: PaneProps) {
  return (
    <WorkbenchContext value={pair[side]}>
      <Inside pair={pair} side={side} choose={choose} />
    </WorkbenchContext>
  );
}

function Inside({ pair, side, choose }: PaneProps) {
  const session = useWorkbenchState((state) => state.session);
  const engine = useWorkbenchState((state) => state.engine);
  const trap = useWorkbenchState((state) => state.trap);
  const isLead = usePairState(({ lead }) => lead === side);
  const hasFault = usePairState(({ faults }) => faults[side].length > 0);
  usePaintedFrames();
  const cause = session?.frame?.cause;
  return (
    <section
      className="compare-pane"
      aria-label={PAGE.machine[side]}
      aria-busy={!session?.frame && !hasFault}
      data-motion={cause === "stepped" || cause === "back" ? "soft" : "none"}
    >
      <header className="compare-head">
        <Badge side={side} />
        <button
          type="button"
          className="chip compare-chosen"
          aria-haspopup="dialog"
          onClick={choose}
        >
          <span className="sr">{PAGE.change[side]}: </span>
          <b>{session ? nameOf(session, hasTwoLrus(engine, session)) : PAGE.nothing}</b>
          <Icon name="down" />
        </button>
        <span className="sp" />
        <button
          type="button"
          className="btn compare-lead"
          aria-pressed={isLead}
          title={PAGE.leadHelp}
          onClick={() => pair.leadBy(side)}
        >
          {PAGE.lead[side]}
        </button>
        <OpenLink side={side} />
      </header>
      {engine.kind === "unavailable" && <UnavailableCard message={engine.message} />}
      {trap && <TrapCard trap={trap} />}
      {session?.frame ? (
        <Machine session={session} frame={session.frame} />
      ) : (
        <div className="compare-waits">
          <Empty side={side} isReady={engine.kind === "ready"} />
        </div>
      )}
      <Says />
    </section>
  );
}

/** Why a pane shows no machine. */
function Empty({ side, isReady }: { side: Side; isReady: boolean }) {
  const faults = usePairState((state) => state.faults);
  if (!isReady) return PAGE.starting;
  if (faults[side].length > 0) return PAGE.notOpen[side];
  return side === "b" && faults.a.length > 0 ? PAGE.waitsForA : PAGE.opening;
}

/** Whether the kernel of a machine has both kinds of LRU lists. */
function hasTwoLrus(engine: WorkbenchState["engine"], { info }: Session): boolean {
  if (engine.kind !== "ready") return false;
  const tunables = engine.catalog.tunables.find(([id]) => id === info.kernel)?.[1] ?? [];
  return tunables.some(({ name }) => name === "lru_gen.enabled");
}

/** A short description of a machine's experiment: its kernel, which LRU lists it has now, and its seed. */
function nameOf({ info, frame }: Session, isWithLists: boolean): string {
  const isAged = (frame?.view.generations.length ?? 0) > 0;
  const lists = isAged ? PAGE.generations : PAGE.classicLists;
  return [info.kernel, ...(isWithLists && frame ? [lists] : []), PAGE.seed(info.seed)].join(", ");
}

/** The parts of a machine that fit beside another machine. */
const ABOUT = "pair";

function Machine({ session, frame }: { session: Session; frame: Frame }) {
  const isRestNow = useLater(true);
  const { info, before } = session;
  return <Stage {...{ info, before, frame, isRestNow }} isInText about={ABOUT} />;
}

/** The position, and the sentence of the last decision. */
function Says() {
  const view = useWorkbenchState((state) => state.session?.frame?.view);
  const task = view?.tasks.find(({ id }) => id === view.ran);
  return (
    <p className="compare-says">
      <span className="num">
        #{count(view?.position.step ?? 0)}{" "}
        <span className="dim">{clock(view?.position.time_ns ?? 0)} s</span>
      </span>{" "}
      {view?.why ? (
        <Sentence spans={view.why.sentence} />
      ) : (
        <span className="dim">
          {(view && endWords(view)) ?? task?.name ?? ""}
          {view && !endWords(view) && task?.function ? <code> {task.function}</code> : null}
        </span>
      )}
    </p>
  );
}

function OpenLink({ side }: { side: Side }) {
  const packed = useWorkbenchState((state) => state.packed);
  if (packed === null) return null;
  return (
    <a
      className="btn"
      href={writeFragment({ page: "workbench", x: packed })}
      aria-label={PAGE.open[side]}
      title={PAGE.open[side]}
    >
      {PAGE.openShort}
    </a>
  );
}
