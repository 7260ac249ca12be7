// The workbench as a page: it lays out the regions, listens to keys, and tells the engine when a
// frame has been painted.

import {
  type CSSProperties,
  lazy,
  Suspense,
  useDeferredValue,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { useWorkbench, useWorkbenchState } from "../../app/context";
import { commandFor, type KeyCommand } from "../../app/keys";
import { usePaintedFrames } from "../../app/painted";
import { showProjected } from "../../app/projector";
import type { Session } from "../../app/store";
import { CodePanel } from "../../debugger/CodePanel";
import { EventsPanel } from "../../debugger/EventsPanel";
import { useFolds } from "../../debugger/folds";
import { SideTabs } from "../../debugger/SideTabs";
import { LocalsPanel, StackPanel } from "../../debugger/StackPanel";
import { StopsPanel } from "../../debugger/StopsPanel";
import { TruthPanel } from "../../debugger/TruthPanel";
import { ValuesPanel } from "../../debugger/ValuesPanel";
import { WhyPanel } from "../../debugger/WhyPanel";
import type { FunctionInfo } from "../../engine/types";
import { useRecordedRuns } from "../../keep/record-runs";
import { RefusalCard, TrapCard, UnavailableCard } from "../../stage/Cards";
import { ReservePattern } from "../../stage/ReservePattern";
import { Skeleton } from "../../stage/Skeleton";
import { Stage } from "../../stage/Stage";
import { storedHeight } from "../../timeline/height";
import { Timeline, useFolded } from "../../timeline/Timeline";
import { Ticker } from "../../timeline/ticker/Ticker";
import { isBeside, pageZoom, useFit } from "../../ui/fit";
import { useLater } from "../../ui/later";
import { useFileDrop } from "./drop";
import { Notice } from "./Notice";
import { PhoneBar, PhoneTabs } from "./PhoneBar";
import { Projector } from "./Projector";
import { FocusBy } from "./step-keys";
import { TopBar } from "./TopBar";
import { Transport } from "./Transport";
import "./fit.css";
import "./happens.css";
import "./projector.css";
import { PAGE } from "./words";

const ExplainPanel = lazy(() =>
  import("../../debugger/explain/ExplainPanel").then(({ ExplainPanel: P }) => ({ default: P })),
);
const LogPanel = lazy(() =>
  import("../../log/LogPanel").then(({ LogPanel: P }) => ({ default: P })),
);
const ResultCheck = lazy(() => import("./later").then(({ ResultCheck: C }) => ({ default: C })));
const Caption = lazy(() => import("./later").then(({ Caption: C }) => ({ default: C })));
const Dialogs = lazy(() => import("./later").then(({ Dialogs: D }) => ({ default: D })));

/** The whole workbench. */
export function Page() {
  const session = useWorkbenchState((state) => state.session);
  const tab = useWorkbenchState((state) => state.tab);
  const dialog = useWorkbenchState((state) => state.dialog);
  const isLogOpen = useWorkbenchState((state) => state.isLogOpen && state.session?.frame != null);
  const { look, text, hasTouch, isProjector } = useFit();
  const isFolded = useFolded();
  const isPhone = look === "phone";
  // The log covers the timeline, so elements behind the log must not be focusable.
  const isTimeHidden = isLogOpen && isBeside(look);
  // Builds the zones first, then the rest of the machine, then its surroundings. The browser can
  // draw between these parts, and none is built in the task that receives the first moment.
  const isMachine = useDeferredValue(session?.frame != null, false);
  const isRestNow = useLater(isMachine);
  const isAllLater = useLater(isRestNow);
  const isAllNow = isBeside(look) ? isAllLater : isMachine;
  // These elements stay while another run begins, because the focus may be in them.
  const [wasAll, setWasAll] = useState(false);
  if (isAllNow && !wasAll) setWasAll(true);
  const isAll = session !== null && (isAllNow || wasAll);
  const root = useRef<HTMLDivElement>(null);
  const workbench = useWorkbench();
  const time_px = useWorkbenchState((state) => state.layout.time_px);
  const { isOver, listeners } = useFileDrop();
  useKeys(root);
  useRecordedRuns(workbench, "workbench");
  useLayoutEffect(() => {
    workbench.layOut({ chosen_px: storedHeight() ?? null });
    return showProjected("workbench");
  }, [workbench]);
  usePaintedFrames();
  const cause = session?.frame?.cause;
  return (
    <div
      ref={root}
      className="workbench"
      data-look={look}
      data-touch={hasTouch || undefined}
      data-projector={isProjector || undefined}
      data-tab={tab}
      data-folded={isFolded || undefined}
      data-log={isLogOpen || undefined}
      data-drop={isOver || undefined}
      data-motion={cause === "stepped" || cause === "back" || cause === "told" ? "soft" : "none"}
      style={benchStyle(text, time_px)}
      tabIndex={-1}
      {...listeners}
    >
      <TopBar />
      {!isPhone && <Transport />}
      <Middle session={isMachine ? session : null} isRestNow={isRestNow} />
      <SideOrCaption session={isAll ? session : null} isProjector={isProjector} />
      {isPhone ? (
        <>
          <PhoneTabs />
          <PhoneBar />
        </>
      ) : (
        <>
          <div className="happens">
            {isAll && !isTimeHidden ? <Ticker /> : <div className="ticker" />}
            <Notice />
          </div>
          {isAll && !isTimeHidden ? (
            <Timeline session={session} />
          ) : (
            <section className="time" aria-label={PAGE.timeline} />
          )}
        </>
      )}
      {isLogOpen && (
        <Suspense>
          <LogPanel />
        </Suspense>
      )}
      <Cards />
      <Captions />
      {isPhone && <Notice />}
      <Narrator />
      <ReservePattern />
      {dialog && (
        <Suspense>
          <Dialogs name={dialog} />
        </Suspense>
      )}
    </div>
  );
}

const benchStyle = (
  text: number,
  time_px: number | null,
): CSSProperties & Record<"--time", string | undefined> => ({
  ...pageZoom(text),
  "--time": time_px === null ? undefined : `${time_px}px`,
});

function Middle({ session, isRestNow }: { session: Session | null; isRestNow: boolean }) {
  const isStarting = useWorkbenchState(
    ({ engine, refusal }) => engine.kind === "starting" || (engine.kind === "ready" && !refusal),
  );
  if (session?.frame)
    return (
      <Stage
        info={session.info}
        before={session.before}
        frame={session.frame}
        isRestNow={isRestNow}
      />
    );
  return isStarting ? <Skeleton /> : <main className="stage" aria-label={PAGE.machine} />;
}

function SideOrCaption({
  session,
  isProjector,
}: {
  session: Session | null;
  isProjector: boolean;
}) {
  const functions = useWorkbenchState(({ engine }) =>
    engine.kind === "ready" ? engine.catalog.functions : NO_FUNCTIONS,
  );
  if (isProjector) return <Projector session={session} functions={functions} />;
  if (!session) return <aside className="side" aria-label={PAGE.debugger} />;
  return <Side session={session} functions={functions} />;
}

const NO_FUNCTIONS: readonly FunctionInfo[] = [];

function Side({ session, functions }: { session: Session; functions: readonly FunctionInfo[] }) {
  const isLongRun = useWorkbenchState(({ longRun }) => longRun !== null);
  const tab = useWorkbenchState((state) => state.sideTab);
  const [isFolded, fold] = useFolds();
  const folding = { isFolded, fold };
  const { frame } = session;
  const view = frame?.view;
  return (
    <aside className="side" aria-label={PAGE.debugger}>
      {frame && view && (
        <>
          <WhyPanel frame={frame} info={session.info} functions={functions} isLongRun={isLongRun} />
          <CodePanel view={view} functions={functions} />
          <SideTabs />
          <div className="tabpanel" role="tabpanel" id="side-panel" aria-labelledby={`side-${tab}`}>
            {tab === "step" && (
              <>
                <StackPanel view={view} functions={functions} folding={folding} />
                <LocalsPanel view={view} earlier={session.before} folding={folding} />
                <EventsPanel view={view} folding={folding} />
              </>
            )}
            {tab === "explain" && (
              <Suspense>
                <ExplainPanel />
              </Suspense>
            )}
            {tab === "stops" && <StopsPanel />}
            {tab === "values" && <ValuesPanel view={view} earlier={session.before} />}
          </div>
          <TruthPanel kernel={session.info.kernel} />
        </>
      )}
    </aside>
  );
}

function Cards() {
  const engine = useWorkbenchState((state) => state.engine);
  const trap = useWorkbenchState((state) => state.trap);
  const refusal = useWorkbenchState((state) => state.refusal);
  if (engine.kind === "unavailable") return <UnavailableCard message={engine.message} />;
  if (trap) return <TrapCard trap={trap} />;
  return refusal ? <RefusalCard refusal={refusal} /> : null;
}

/** The note of a link, above the bottom of the stage. */
function Captions() {
  const isCaptionOpen = useWorkbenchState((state) => state.isCaptionOpen && state.session !== null);
  const hasResult = useWorkbenchState((state) => state.result !== null && state.session !== null);
  return (
    <div className="captions">
      {isCaptionOpen && (
        <Suspense>
          <Caption />
        </Suspense>
      )}
      {hasResult && (
        <Suspense>
          <ResultCheck />
        </Suspense>
      )}
    </div>
  );
}

/** The only live region: reads the sentence after each manual step. */
function Narrator() {
  const announcement = useWorkbenchState((state) => state.announcement);
  return (
    <p className="sr" aria-live="polite" data-testid="narration">
      {announcement}
    </p>
  );
}

/** Letters and arrows work anywhere; function keys only while the focus is in the workbench. */
function useKeys(root: React.RefObject<HTMLDivElement | null>): void {
  const workbench = useWorkbench();
  useEffect(() => {
    const focusBy = new FocusBy();
    const run = (event: KeyboardEvent, command: KeyCommand | undefined) => {
      if (!command) return;
      // The browser still handles Escape, which closes a menu that has opened but does not have the
      // focus yet.
      if (event.key !== "Escape") event.preventDefault();
      command.run(workbench);
    };
    // Runs before the focused element receives the key.
    const first = (event: KeyboardEvent) => {
      const command = focusBy.stepOf(event);
      if (command) event.stopPropagation();
      run(event, command);
    };
    const listen = (event: KeyboardEvent) => {
      const isInside = root.current?.contains(document.activeElement) ?? false;
      if (/^F\d+$/.test(event.key) && !isInside) return;
      run(event, commandFor(event));
    };
    const ignore = focusBy.listen();
    addEventListener("keydown", first, true);
    addEventListener("keydown", listen);
    return () => {
      ignore();
      removeEventListener("keydown", first, true);
      removeEventListener("keydown", listen);
    };
  }, [workbench, root]);
}
