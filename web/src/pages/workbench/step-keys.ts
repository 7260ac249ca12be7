// Whose the arrow keys are: the machine's, whatever was clicked last. A grid, a slider or a list of
// tabs has them only while it is used by keyboard: once Tab, or a key, has led the focus into it.

import { KEY_COMMANDS, type KeyCommand } from "../../app/keys";

/** Keys that move both the machine and the focus inside a widget. */
const MOVES = /^(Arrow(Left|Right|Up|Down)|Home|End)$/;

/** Is this where a person writes, or a list of choices, which may be open? */
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

/** Follows how the focus came to where it is. */
export class FocusBy {
  #isDown = false;
  #clicked: Element | null = null;

  /** Listens to a page; gives what ends it. */
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
    // A mouse button goes down just before the focus moves, also where a finger was the mouse.
    addEventListener("mousedown", down, true);
    addEventListener("mouseup", up, true);
    addEventListener("focusin", focus, true);
    return () => {
      removeEventListener("mousedown", down, true);
      removeEventListener("mouseup", up, true);
      removeEventListener("focusin", focus, true);
    };
  }

  /** The step a key takes although what was clicked last would use the key itself. */
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
