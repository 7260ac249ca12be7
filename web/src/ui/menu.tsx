// A menu of choices on the browser's own popover: light dismissal, Escape and the top layer come
// with it; the arrow keys are ours.

import { type KeyboardEvent, useId, useRef } from "react";
import type { Choice } from "../engine/types";
import { zoomOf } from "./fit";
import { Icon } from "./icons";

/** Moves the focus among the items of a menu. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>("[role=menuitemradio]")];
  const at = items.indexOf(document.activeElement as HTMLElement);
  const targets: Record<string, number> = {
    ArrowDown: (at + 1) % items.length,
    ArrowUp: (at - 1 + items.length) % items.length,
    Home: 0,
    End: items.length - 1,
  };
  const to = targets[event.key];
  if (to === undefined) return;
  event.preventDefault();
  items[to]?.focus();
}

/** A chip that opens a menu of choices; the chosen one is checked. */
export function ChoiceMenu({
  label,
  className = "chip",
  shown,
  chosen,
  choices,
  choose,
}: {
  label: string;
  className?: string;
  /** The present value as the chip shows it. */
  shown: string;
  chosen: string;
  choices: readonly Choice[];
  choose: (id: string) => void;
}) {
  const id = useId();
  const chip = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);

  const place = () => {
    const at = chip.current?.getBoundingClientRect();
    const panel = menu.current;
    if (!at || !panel) return;
    const zoom = zoomOf(panel);
    panel.style.maxHeight = "";
    const most = innerWidth / zoom - panel.offsetWidth - 8;
    const [below, above] = [at.bottom / zoom + 4, at.top / zoom - 4];
    const roomBelow = innerHeight / zoom - below - 8;
    const isBelow = panel.offsetHeight < roomBelow || at.top < innerHeight / 2;
    // All of it can be reached: what has no room is scrolled to.
    const room = isBelow ? roomBelow : above - 8;
    const height = Math.min(panel.offsetHeight, room);
    if (height < panel.offsetHeight) panel.style.maxHeight = `${height}px`;
    panel.style.top = `${isBelow ? below : above - height}px`;
    panel.style.left = `${Math.max(8, Math.min(at.left / zoom, most))}px`;
    panel.querySelector<HTMLElement>("[aria-checked=true], [role=menuitemradio]")?.focus();
  };

  return (
    <>
      <button
        ref={chip}
        type="button"
        className={className}
        popoverTarget={id}
        aria-haspopup="menu"
        aria-label={`${label}: ${shown}`}
        title={shown}
      >
        <span>{label}</span>
        <b>{shown}</b>
        <Icon name="down" />
      </button>
      <div
        ref={menu}
        id={id}
        popover="auto"
        role="menu"
        tabIndex={-1}
        aria-label={label}
        className="menu"
        onToggle={(event) => event.newState === "open" && place()}
        onKeyDown={moveFocus}
      >
        {choices.map((choice) => (
          <button
            key={choice.id}
            type="button"
            role="menuitemradio"
            aria-checked={choice.id === chosen}
            tabIndex={-1}
            onClick={() => {
              menu.current?.hidePopover();
              if (choice.id !== chosen) choose(choice.id);
            }}
          >
            <span className="tick">{choice.id === chosen && <Icon name="check" />}</span>
            <span>
              <b>{choice.title}</b>
              {choice.about && <small>{choice.about}</small>}
            </span>
          </button>
        ))}
      </div>
    </>
  );
}
