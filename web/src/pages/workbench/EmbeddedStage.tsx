// The machine in a frame on another site, without the reader's address, draft and library.

import { type KeyboardEvent, useEffect } from "react";
import { useMode, useWorkbench, useWorkbenchState } from "../../app/context";
import type { Workbench } from "../../app/controller";
import { usePaintedFrames } from "../../app/painted";
import { momentOf } from "../../app/store";
import { endWords } from "../../engine/end";
import { clock } from "../../engine/format";
import type { Embed, EmbedControl } from "../../link/embed";
import { urlOf, type WorkbenchAddress } from "../../link/router";
import { RefusalCard, TrapCard, UnavailableCard } from "../../stage/Cards";
import { ReservePattern } from "../../stage/ReservePattern";
import { TextStage } from "../../stage/TextStage";
import { Timeline } from "../../timeline/Timeline";
import { actsWhen } from "../../ui/acts";
import { EmbedBar } from "../../ui/embed-bar";
import { pageZoom, useFit } from "../../ui/fit";
import { Icon, type IconName } from "../../ui/icons";
import { Roll } from "../../ui/roll";
import { Sentence } from "../../ui/sentence";
import { EMBEDDED_STAGE } from "./words";

interface Props {
  readonly address: WorkbenchAddress;
  readonly embed: Embed;
  /** The target of links to the whole page if it is not at this address; null if there is none. */
  readonly site?: string | null;
}

/** The stage in a frame. */
export function EmbeddedStage({ address, embed, site }: Props) {
  const workbench = useWorkbench();
  const { look, text, hasTouch } = useFit();
  const session = useWorkbenchState((state) => state.session);
  const cause = session?.frame?.cause;
  const { controls, faults } = embed;
  usePaintedFrames();
  const title = session?.info.title ?? "";
  useEffect(() => {
    document.title = title ? `${title} · mmscope` : "mmscope";
  }, [title]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keyboard shortcuts of buttons inside it
    <div
      className="embed"
      data-look={look}
      data-touch={hasTouch || undefined}
      data-motion={cause === "stepped" || cause === "back" ? "soft" : "none"}
      style={pageZoom(text)}
      onKeyDown={(event) => pressed(workbench, event, controls)}
    >
      <Head address={address} faults={faults} site={site} />
      <main className="live" aria-label={EMBEDDED_STAGE.machine} aria-busy={!session?.frame}>
        <Cards />
        <TextStage />
      </main>
      {/* A phone has no space for it, neither here nor in the workbench. */}
      {session && look !== "phone" && controls.includes("timeline") && (
        <Timeline session={session} />
      )}
      <Foot controls={controls} />
      <ReservePattern />
    </div>
  );
}

function Head({
  address,
  faults,
  site,
}: Pick<Props, "address"> & { faults: readonly string[]; site: string | null | undefined }) {
  const packed = useWorkbenchState((state) => state.packed);
  const title = useWorkbenchState((state) => state.title || state.session?.info.title);
  const now_ns = useWorkbenchState(momentOf);
  const { x, preset = null } = address;
  const target = { page: "workbench", x: packed ?? x, preset: packed ? null : preset } as const;
  const href = site === null ? null : urlOf(target, site);
  return (
    <EmbedBar href={href} faults={faults}>
      <h1 tabIndex={-1}>{title ?? EMBEDDED_STAGE.starting}</h1>
      <span className="clock">
        <Roll value={now_ns}>{clock(now_ns)}</Roll> <small>s</small>
      </span>
    </EmbedBar>
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

interface Press {
  readonly control: EmbedControl;
  readonly icon: IconName;
  readonly label: string;
  readonly key: string;
  readonly run: (workbench: Workbench) => void;
}

const BEFORE: readonly Press[] = [
  {
    control: "ends",
    icon: "start",
    label: EMBEDDED_STAGE.toStart,
    key: "Home",
    run: (w) => w.transport.start(),
  },
  {
    control: "back",
    icon: "back",
    label: EMBEDDED_STAGE.stepBack,
    key: "ArrowLeft",
    run: (w) => w.transport.back("step"),
  },
];
const AFTER: readonly Press[] = [
  {
    control: "step",
    icon: "into",
    label: EMBEDDED_STAGE.step,
    key: "ArrowRight",
    run: (w) => w.transport.step("into"),
  },
  {
    control: "ends",
    icon: "end",
    label: EMBEDDED_STAGE.toEnd,
    key: "End",
    run: (w) => w.transport.end(),
  },
];

/**
 * The workbench's keys, as far as the frame has the controls; buttons and sliders keep their own
 * keys.
 */
function pressed(
  workbench: Workbench,
  event: KeyboardEvent<HTMLDivElement>,
  controls: readonly EmbedControl[],
): void {
  const isPlain = !(event.ctrlKey || event.metaKey || event.altKey || event.shiftKey);
  const has = event.target instanceof Element && event.target.closest("[role], input, svg");
  if (!isPlain || has) return;
  const press = [...BEFORE, ...AFTER].find(({ key }) => key === event.key);
  if (!press || !controls.includes(press.control)) return;
  event.preventDefault();
  press.run(workbench);
}

function Foot({ controls }: { controls: readonly EmbedControl[] }) {
  const workbench = useWorkbench();
  const mode = useMode();
  const position = useWorkbenchState((state) => state.session?.frame?.view.position);
  const announcement = useWorkbenchState((state) => state.announcement);
  const isAtRest = mode === "paused";
  const words =
    isAtRest || mode === "none"
      ? EMBEDDED_STAGE.play
      : mode === "playing"
        ? EMBEDDED_STAGE.pause
        : EMBEDDED_STAGE.stop;
  const button = ({ control, icon, label, run }: Press, mayAct: boolean) =>
    controls.includes(control) && (
      <button
        key={label}
        type="button"
        className="btn icon line"
        aria-label={label}
        title={label}
        {...actsWhen(isAtRest && mayAct, () => run(workbench))}
      >
        <Icon name={icon} />
      </button>
    );
  if (controls.every((control) => control === "timeline")) return null;
  return (
    <footer className="embed-foot">
      <nav className="group" aria-label={EMBEDDED_STAGE.transport}>
        {BEFORE.map((press) => button(press, position?.step !== 0))}
        {controls.includes("play") && (
          <button
            type="button"
            className="btn icon solid"
            aria-label={words}
            title={words}
            {...actsWhen(mode !== "none" && !(isAtRest && position?.ended), () =>
              workbench.transport.toggle(),
            )}
          >
            <Icon name={words === "Play" ? "play" : "pause"} />
          </button>
        )}
        {AFTER.map((press) => button(press, !position?.ended))}
      </nav>
      {controls.includes("why") && <Why />}
      <p className="sr" aria-live="polite">
        {announcement}
      </p>
    </footer>
  );
}

function Why() {
  const view = useWorkbenchState((state) => state.session?.frame?.view);
  const mode = useMode();
  const words = () => {
    if (!view) return EMBEDDED_STAGE.engineIsStarting;
    if (mode === "playing") return "Running.";
    return endWords(view) ?? EMBEDDED_STAGE.noDecisionInThisStep;
  };
  return (
    <p>
      {view?.why && mode !== "playing" ? (
        <Sentence spans={view.why.sentence} />
      ) : (
        <span className="dim">{words()}</span>
      )}
    </p>
  );
}
