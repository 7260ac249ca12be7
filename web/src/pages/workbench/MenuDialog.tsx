import { useMode, useWorkbench, useWorkbenchState } from "../../app/context";
import { compareHere } from "../../app/moment-link";
import type { DialogName } from "../../app/store";
import { writeFragment } from "../../link/router";
import { Dialog } from "../../ui/dialog";
import { Icon } from "../../ui/icons";
import { RichText } from "../../ui/rich-text";
import { switchTheme, useTheme } from "../../ui/theme";
import { PartChoices } from "./Choices";
import { sweepExperiment } from "./sweep";
import { BACK, END, Group, Speed, STEPS } from "./Transport";
import { MENU_DIALOG, SWEEP_EXPERIMENT, TOP_BAR } from "./words";

/** The menu of windows that are not wide: the contents of a wide page's bars. */
export function MenuDialog({ close }: { close: () => void }) {
  const session = useWorkbenchState((state) => state.session);
  const theme = useTheme();
  return (
    <Dialog title={MENU_DIALOG.menu} close={close}>
      <div className="sheet-rows">
        {session && (
          <>
            <Row
              dialog="experiment"
              title={MENU_DIALOG.changeExperiment}
              about={MENU_DIALOG.changeExperimentHelp}
            />
            <Row
              dialog="import"
              title={MENU_DIALOG.yourMachine}
              about={MENU_DIALOG.yourMachineHelp}
            />
            <a className="btn" href={writeFragment({ page: "trace" })}>
              <span>
                <RichText
                  text={MENU_DIALOG.trace}
                  parts={{ small: (text) => <small>{text}</small> }}
                />
              </span>
            </a>
            <SweepRow />
            <LogRow />
            <CompareRow />
            <Row dialog="paid" title={MENU_DIALOG.whoPaid} about={MENU_DIALOG.whoPaidHelp} />
            <Row
              dialog="shrink"
              title={MENU_DIALOG.smallestExample}
              about={MENU_DIALOG.smallestExampleHelp}
            />
            <Row
              dialog="procfs"
              title={MENU_DIALOG.filesOfProc}
              about={MENU_DIALOG.filesOfProcHelp}
            />
          </>
        )}
        <Row dialog="saved" title={MENU_DIALOG.savedMoments} about={MENU_DIALOG.savedMomentsHelp} />
        <a className="btn" href={writeFragment({ page: "history" })}>
          <span>
            <RichText
              text={MENU_DIALOG.yourRuns}
              parts={{ small: (text) => <small>{text}</small> }}
            />
          </span>
        </a>
        <Row dialog="help" title={MENU_DIALOG.keysAndHelp} about={MENU_DIALOG.keysAndHelpHelp} />
        <a className="btn" href={writeFragment({ page: "doc", doc: "manual", section: null })}>
          <span>
            <RichText
              text={MENU_DIALOG.manual}
              parts={{ small: (text) => <small>{text}</small> }}
            />
          </span>
        </a>
        <a className="btn" href={writeFragment({ page: "doc", doc: "glossary", section: null })}>
          <span>
            <RichText
              text={MENU_DIALOG.glossary}
              parts={{ small: (text) => <small>{text}</small> }}
            />
          </span>
        </a>
        <button type="button" className="btn" onClick={switchTheme}>
          <Icon name={theme === "dark" ? "sun" : "moon"} />
          {theme === "dark" ? MENU_DIALOG.lightTheme : MENU_DIALOG.darkTheme}
        </button>
      </div>
      {session && (
        <>
          <h3>{MENU_DIALOG.experiment}</h3>
          <div className="sheet-rows">
            <PartChoices session={session} chosen={close} />
          </div>
          <h3>{MENU_DIALOG.move}</h3>
          <Moves />
        </>
      )}
    </Dialog>
  );
}

/** Replaces the menu by another dialog. */
function Row({ dialog, title, about }: { dialog: DialogName; title: string; about: string }) {
  const workbench = useWorkbench();
  return (
    <button
      type="button"
      className="btn"
      aria-haspopup="dialog"
      onClick={() => workbench.showDialog(dialog)}
    >
      <span>
        {title}
        <small>{about}</small>
      </span>
    </button>
  );
}

/** Opens the sweep page with the experiment of the workbench. */
function SweepRow() {
  const workbench = useWorkbench();
  return (
    <button type="button" className="btn" onClick={() => void sweepExperiment(workbench)}>
      <span>
        {SWEEP_EXPERIMENT.title}
        <small>{SWEEP_EXPERIMENT.help}</small>
      </span>
    </button>
  );
}

/** Replaces the menu by the event log. */
function LogRow() {
  const workbench = useWorkbench();
  return (
    <button
      type="button"
      className="btn"
      aria-haspopup="dialog"
      onClick={() => workbench.showLog(true)}
    >
      <span>
        <RichText text={MENU_DIALOG.log} parts={{ small: (text) => <small>{text}</small> }} />
      </span>
    </button>
  );
}

/** Opens the compare page. */
function CompareRow() {
  const workbench = useWorkbench();
  return (
    <button type="button" className="btn" onClick={() => void compareHere(workbench)}>
      <span>
        {TOP_BAR.compare}
        <small>{MENU_DIALOG.compareHelp}</small>
      </span>
    </button>
  );
}

/** The steps that do not fit in the fixed bar, and the speed. */
function Moves() {
  const isPaused = useMode() === "paused";
  const isAtStart = useWorkbenchState((s) => s.session?.frame?.view.position.step === 0);
  const isEnded = useWorkbenchState((s) => s.session?.frame?.view.position.ended ?? false);
  return (
    <>
      <div className="sheet-moves">
        <Group commands={STEPS} isDisabled={!isPaused || isEnded} />
        <Group commands={BACK} isDisabled={!isPaused || isAtStart} />
        <Group commands={END} isDisabled={!isPaused || isEnded} />
      </div>
      <div className="sheet-rows">
        <Speed />
      </div>
    </>
  );
}
