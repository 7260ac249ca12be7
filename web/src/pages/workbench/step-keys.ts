// Decides who receives the arrow keys. After a click they step the machine. A grid, a slider or a
// list of tabs receives them only while it is used by keyboard: after Tab or another key moved the
// focus into it.

import { KEY_COMMANDS, type KeyCommand } from "../../app/keys";

/** Keys that move both the machine and the focus inside a widget. */
const MOVES = /^(Arrow(Left|Right|Up|Down)|Home|End)$/;

/** Is this a text field, or a select, which may be open? */
function isField(element: Element): boolean {
  if (element instanceof HTMLInputElement)
    return !["button", "checkbox", "color", "file", "radio", "range", "submit"].includes(
      element.type,
    );
  return (
    element instanceof HTMLTextAreaElement ||
    element instanceof HTMLSelectElement ||
    (element instanceof HTMLElement && element.isContentEditable)
  );
}

/** Records how the focused element got the focus. */
export class FocusBy {
  #isDown = false;
  #clicked: Element | null = null;

  /** Listens to a page; returns a function that stops it. */
  listen(): () => void {
    const down = ({ target }: MouseEvent) => {
      this.#isDown = true;
      const active = document.activeElement;
      if (active && target instanceof Node && active.contains(target)) this.#clicked = active;
    };
    const up = () => {
      this.#isDown = false;
    };
    const focus = ({ target }: FocusEvent) => {
      this.#clicked = this.#isDown && target instanceof Element ? target : null;
    };
    // The mouse button goes down just before the focus moves, also for touch.
    addEventListener("mousedown", down, true);
    addEventListener("mouseup", up, true);
    addEventListener("focusin", focus, true);
    return () => {
      removeEventListener("mousedown", down, true);
      removeEventListener("mouseup", up, true);
      removeEventListener("focusin", focus, true);
    };
  }

  /** The step for a key that the clicked element would otherwise use itself. */
  stepOf({
    key,
    shiftKey,
    ctrlKey,
    altKey,
    metaKey,
    target,
  }: KeyboardEvent): KeyCommand | undefined {
    if (!MOVES.test(key) || ctrlKey || altKey || metaKey || !(target instanceof Element)) return;
    if (target !== this.#clicked || isField(target) || target.closest("dialog, [popover]")) return;
    const name = shiftKey ? `Shift+${key}` : key;
    return KEY_COMMANDS.find(({ keys }) => keys.includes(name));
  }
}
