import { useMode, useWorkbench, useWorkbenchState } from "../../app/context";
import { compareHere } from "../../app/moment-link";
import type { DialogName } from "../../app/store";
import { writeFragment } from "../../link/router";
import { Dialog } from "../../ui/dialog";
import { Icon } from "../../ui/icons";
import { switchTheme, useTheme } from "../../ui/theme";
import { PartChoices } from "./Choices";
import { BACK, END, Group, Speed, STEPS } from "./Transport";

/** The phone's menu: the contents of a wide page's bars. */
export function MenuDialog({ close }: { close: () => void }) {
  const session = useWorkbenchState((state) => state.session);
  const theme = useTheme();
  return (
    <Dialog title="Menu" close={close}>
      <div className="sheet-rows">
        {session && (
          <>
            <Row
              dialog="experiment"
              title="Change the experiment"
              about="Tunables, kernel, seed, length, or all of it as JSON."
            />
            <Row dialog="import" title="Your machine" about="Paste your /proc/zoneinfo." />
            <a className="btn" href={writeFragment({ page: "trace" })}>
              <span>
                Open a capture or a trace
                <small>What a real machine recorded, in this timeline and event log.</small>
              </span>
            </a>
            <LogRow />
            <CompareRow />
            <Row
              dialog="paid"
              title="Who paid for reclaim"
              about="Which task reclaimed memory, for whom, and whose pages were taken."
            />
            <Row
              dialog="shrink"
              title="Smallest example"
              about="A smaller experiment for which a statement about counters still holds."
            />
            <Row
              dialog="procfs"
              title="The files of /proc"
              about="As this kernel would print them at this moment."
            />
          </>
        )}
        <Row
          dialog="saved"
          title="Saved moments"
          about="Moments kept in this browser. You can also open a file here."
        />
        <a className="btn" href={writeFragment({ page: "history" })}>
          <span>
            Your runs
            <small>Every run that reached its end in this browser, with your notes.</small>
          </span>
        </a>
        <Row dialog="help" title="Keys and help" about="What the page shows, and every key." />
        <a className="btn" href={writeFragment({ page: "doc", doc: "manual", section: null })}>
          <span>
            Manual
            <small>How to use each part.</small>
          </span>
        </a>
        <a className="btn" href={writeFragment({ page: "doc", doc: "glossary", section: null })}>
          <span>
            Glossary
            <small>What the terms of the kernel and of mmscope mean.</small>
          </span>
        </a>
        <button type="button" className="btn" onClick={switchTheme}>
          <Icon name={theme === "dark" ? "sun" : "moon"} />
          {theme === "dark" ? "Light theme" : "Dark theme"}
        </button>
      </div>
      {session && (
        <>
          <h3>Experiment</h3>
          <div className="sheet-rows">
            <PartChoices session={session} chosen={close} />
          </div>
          <h3>Move</h3>
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
        Event log
        <small>Every event up to this moment: search, filter, save.</small>
      </span>
    </button>
  );
}

/** Leaves for the page that compares. */
function CompareRow() {
  const workbench = useWorkbench();
  return (
    <button type="button" className="btn" onClick={() => void compareHere(workbench)}>
      <span>
        Compare
        <small>The same moment under another kernel, side by side.</small>
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
