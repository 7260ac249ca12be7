// The event log: a drawer over the bottom of the stage if there is space, otherwise a dialog.

import "./log.css";
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";
import { useWorkbench, useWorkbenchState } from "../app/context";
import { Dialog } from "../ui/dialog";
import { useFit } from "../ui/fit";
import { Icon } from "../ui/icons";
import { EventLog } from "./EventLog";
import { LOG_PANEL } from "./words";

/** The event log of the open machine. */
export function LogPanel() {
  const workbench = useWorkbench();
  const { look } = useFit();
  const session = useWorkbenchState((state) => state.session);
  const catalog = useWorkbenchState(({ engine }) =>
    engine.kind === "ready" ? engine.catalog : null,
  );
  const close = () => workbench.showLog(false);
  if (!session?.frame || !catalog) return null;
  const log = (onGo: () => void) =>
    session.frame && (
      <EventLog info={session.info} view={session.frame.view} catalog={catalog} onGo={onGo} />
    );
  // In the dialog the log hides the stage, so going to a step also closes the log.
  if (look === "narrow" || look === "phone") {
    return (
      <Dialog title={LOG_PANEL.eventLog} close={close} wide className="log-dialog">
        {log(close)}
      </Dialog>
    );
  }
  return <Drawer close={close}>{log(() => {})}</Drawer>;
}

function Drawer({ close, children }: { close: () => void; children: ReactNode }) {
  const drawer = useRef<HTMLElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    const element = drawer.current;
    element?.querySelector<HTMLElement>("[role=grid]")?.focus();
    return () => {
      // Restores the focus only if it was lost with the drawer.
      const isLost = document.activeElement === document.body || !document.activeElement;
      if (isLost && opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    event.preventDefault();
    close();
  };
  return (
    <section
      ref={drawer}
      className="log-drawer"
      aria-label={LOG_PANEL.eventLog}
      onKeyDown={onKeyDown}
    >
      <header>
        <h2 className="label">{LOG_PANEL.eventLog}</h2>
        <button
          type="button"
          className="btn icon"
          aria-label={LOG_PANEL.closeEventLog}
          onClick={close}
        >
          <Icon name="cross" />
        </button>
      </header>
      {children}
    </section>
  );
}
