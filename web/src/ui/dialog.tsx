import { type ReactNode, useEffect, useRef } from "react";
import { Icon } from "./icons";

/** What had the focus before the first of several dialogs that give way to each other. */
let opener: Element | null = null;
/** A dialog has just given way: the next one is opened by what opened it. */
let isHandedOn = false;

function giveFocusBack() {
  if (document.activeElement !== document.body || !(opener instanceof HTMLElement)) return;
  const { isConnected, textContent } = opener;
  // What the dialog did may have made the workbench anew: then it is the button of the same words.
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
    // What the dialog was opened for: as it says itself, else the first field, where there is one.
    const focus = () => {
      const named = element.querySelector<HTMLElement>("[data-focus]");
      const field = element.querySelector<HTMLElement>("textarea, input:not([readonly], [hidden])");
      (named ?? field)?.focus();
    };
    focus();
    // Where what had the focus goes, Escape would be nobody's: the dialog would not close.
    const gone = new MutationObserver(() => {
      if (document.activeElement === document.body) focus();
    });
    gone.observe(element, { childList: true, subtree: true });
    return () => {
      gone.disconnect();
      isHandedOn = true;
      queueMicrotask(() => {
        // No dialog took over: the focus goes back.
        if (isHandedOn) giveFocusBack();
        isHandedOn = false;
      });
    };
  }, []);
  // A browser tells of a closed dialog with its next frame, which may be long after: until then keys
  // would still belong to it. Closing it here gives the focus back, and ends it at once.
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
          <button type="button" className="btn icon" aria-label="Close" onClick={end}>
            <Icon name="cross" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
