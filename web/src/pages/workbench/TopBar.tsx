import { useWorkbench, useWorkbenchState } from "../../app/context";
import { compareHere } from "../../app/moment-link";
import type { DialogName } from "../../app/store";
import { usePhone } from "../../ui/fit";
import { Icon } from "../../ui/icons";
import { Wordmark } from "../../ui/page-bar";
import { ThemeButton } from "../../ui/theme-button";
import { PartChoices, ScenarioChoice } from "./Choices";
import { sweepExperiment } from "./sweep";
import "./top.css";
import { SWEEP_EXPERIMENT, TOP_BAR } from "./words";

/** Shows the names of the experiment, with buttons that change and share it. */
export function TopBar() {
  const session = useWorkbenchState((state) => state.session);
  const isStarting = useWorkbenchState(
    ({ engine, refusal }) => engine.kind !== "unavailable" && refusal === null,
  );
  const isPhone = usePhone();
  return (
    <header className="bar top">
      <Wordmark />
      <span className="sep" />
      <div className="opened">
        <h1 tabIndex={-1}>
          {session ? (
            <ScenarioChoice session={session} />
          ) : isStarting ? (
            TOP_BAR.starting
          ) : (
            TOP_BAR.nothingOpen
          )}
        </h1>
        {session && !isPhone && (
          <div className="parts">
            <PartChoices session={session} />
          </div>
        )}
      </div>
      <span className="sp" />
      {isPhone ? <PhoneButtons /> : <WideButtons />}
    </header>
  );
}

function WideButtons() {
  return (
    <>
      <DialogButton dialog="experiment">{TOP_BAR.change}</DialogButton>
      <DialogButton dialog="import">{TOP_BAR.yourMachine}</DialogButton>
      <DialogButton dialog="procfs" className="btn top-listed">
        {TOP_BAR.proc}
      </DialogButton>
      <CompareButton />
      <SweepButton />
      <DialogButton dialog="saved" className="btn top-listed">
        {TOP_BAR.saved}
      </DialogButton>
      <DialogButton dialog="share" className="btn line">
        <Icon name="share" />
        {TOP_BAR.share}
      </DialogButton>
      <ThemeButton />
      <DialogButton dialog="menu" className="btn icon top-menu" label={TOP_BAR.menu}>
        <Icon name="menu" />
      </DialogButton>
      <DialogButton dialog="help" className="btn icon" label={TOP_BAR.keysAndHelp}>
        ?
      </DialogButton>
    </>
  );
}

/** Opens the sweep page with this experiment. */
function SweepButton() {
  const workbench = useWorkbench();
  const isUsable = useWorkbenchState(({ session }) => session !== null);
  return (
    <button
      type="button"
      className="btn top-runs"
      title={SWEEP_EXPERIMENT.help}
      aria-label={SWEEP_EXPERIMENT.title}
      disabled={!isUsable}
      onClick={() => void sweepExperiment(workbench)}
    >
      {TOP_BAR.sweep}
    </button>
  );
}

/** Opens this moment next to the same moment under another kernel. */
function CompareButton() {
  const workbench = useWorkbench();
  const isUsable = useWorkbenchState(({ session }) => session !== null);
  return (
    <button
      type="button"
      className="btn top-runs"
      disabled={!isUsable}
      title={TOP_BAR.compareHelp}
      onClick={() => void compareHere(workbench)}
    >
      {TOP_BAR.compare}
    </button>
  );
}

function PhoneButtons() {
  return (
    <>
      <DialogButton dialog="share" className="btn icon" label={TOP_BAR.share}>
        <Icon name="share" />
      </DialogButton>
      <DialogButton dialog="menu" className="btn icon" label={TOP_BAR.menu}>
        <Icon name="menu" />
      </DialogButton>
    </>
  );
}

function DialogButton({
  dialog,
  className = "btn",
  label,
  children,
}: {
  dialog: DialogName;
  className?: string;
  label?: string;
  children: React.ReactNode;
}) {
  const workbench = useWorkbench();
  const isUsable = useWorkbenchState(
    ({ session }) =>
      session !== null || dialog === "help" || dialog === "menu" || dialog === "saved",
  );
  return (
    <button
      type="button"
      className={className}
      aria-haspopup="dialog"
      aria-label={label}
      disabled={!isUsable}
      onClick={() => workbench.showDialog(dialog)}
    >
      {children}
    </button>
  );
}
