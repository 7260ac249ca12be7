import { useWorkbench, useWorkbenchState } from "../../app/context";
import { compareHere } from "../../app/moment-link";
import type { DialogName } from "../../app/store";
import { usePhone } from "../../ui/fit";
import { Icon } from "../../ui/icons";
import { Wordmark } from "../../ui/page-bar";
import { ThemeButton } from "../../ui/theme-button";
import { PartChoices, ScenarioChoice } from "./Choices";
import "./top.css";
import { TOP_BAR } from "./words";

/** Names, changes and shares the experiment. */
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
      <DialogButton dialog="procfs">{TOP_BAR.proc}</DialogButton>
      <CompareButton />
      <DialogButton dialog="saved">{TOP_BAR.saved}</DialogButton>
      <DialogButton dialog="share" className="btn line">
        <Icon name="share" />
        {TOP_BAR.share}
      </DialogButton>
      <ThemeButton />
      <DialogButton dialog="help" className="btn icon" label={TOP_BAR.keysAndHelp}>
        ?
      </DialogButton>
    </>
  );
}

/** Opens this moment beside the same one under another kernel. */
function CompareButton() {
  const workbench = useWorkbench();
  const isUsable = useWorkbenchState(({ session }) => session !== null);
  return (
    <button
      type="button"
      className="btn"
      disabled={!isUsable}
      title="The same moment under another kernel (⇧C)"
      onClick={() => void compareHere(workbench)}
    >
      Compare
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
