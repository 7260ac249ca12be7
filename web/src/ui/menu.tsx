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
    const most = innerWidth / zoom - panel.offsetWidth - 8;
    const below = at.bottom / zoom + 4;
    const isRoom = below + panel.offsetHeight < innerHeight / zoom - 8;
    const above = Math.max(8, at.top / zoom - panel.offsetHeight - 4);
    panel.style.top = `${isRoom || at.top < innerHeight / 2 ? below : above}px`;
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
