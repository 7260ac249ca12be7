import { type ReactNode, useEffect, useRef } from "react";
import { Icon } from "./icons";
import { DIALOG } from "./words";

/**
 * The element that had the focus before a chain of dialogs, each of which replaced the one before.
 */
let opener: Element | null = null;
/** A dialog has just closed: a dialog that opens now has the same opener. */
let isHandedOn = false;

function giveFocusBack() {
  if (document.activeElement !== document.body || !(opener instanceof HTMLElement)) return;
  const { isConnected, textContent } = opener;
  // The dialog's action may have rebuilt the workbench: then look for the button with the same
  // text.
  const isSame = (button: HTMLElement) => button.textContent === textContent;
  (isConnected ? opener : [...document.querySelectorAll("button")].find(isSame))?.focus();
}

/** A native modal dialog, open as long as it is mounted. */
export function Dialog({
  title,
  close,
  wide = false,
  className = "",
  children,
}: {
  title: string;
  close: () => void;
  wide?: boolean;
  className?: string;
  children: ReactNode;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    if (!element || element.open) return;
    if (!isHandedOn) opener = document.activeElement;
    isHandedOn = false;
    element.showModal();
    // Focus the element that is marked as the main one, otherwise the first field, if there is one.
    const focus = () => {
      const named = element.querySelector<HTMLElement>("[data-focus]");
      const field = element.querySelector<HTMLElement>("textarea, input:not([readonly], [hidden])");
      (named ?? field)?.focus();
    };
    focus();
    // If the focused element is removed, no element of the dialog hears Escape and the dialog would
    // not close.
    const observer = new MutationObserver(() => {
      if (document.activeElement === document.body) focus();
    });
    observer.observe(element, { childList: true, subtree: true });
    return () => {
      observer.disconnect();
      isHandedOn = true;
      queueMicrotask(() => {
        // No dialog replaced this one: return the focus.
        if (isHandedOn) giveFocusBack();
        isHandedOn = false;
      });
    };
  }, []);
  // The browser reports a closed dialog with its next frame, possibly much later. Until then the
  // dialog would still receive keys. Closing it here returns the focus and ends the dialog at once.
  const end = () => {
    dialog.current?.close();
    giveFocusBack();
    close();
  };
  return (
    <dialog
      ref={dialog}
      className={`dialog${wide ? " wide" : ""} ${className}`.trim()}
      aria-label={title}
      onClose={close}
      onCancel={(event) => {
        event.preventDefault();
        end();
      }}
      onPointerDown={(event) => event.target === dialog.current && end()}
    >
      <div className="dialog-body">
        <header>
          <h2>{title}</h2>
          <button type="button" className="btn icon" aria-label={DIALOG.close} onClick={end}>
            <Icon name="cross" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
