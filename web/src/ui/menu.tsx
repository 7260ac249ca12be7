// A menu of choices on the browser's popover, which provides light dismissal, Escape and the top
// layer; the arrow keys are handled here.

import { type KeyboardEvent, useId, useRef } from "react";
import type { Choice } from "../engine/types";
import { zoomOf } from "./fit";
import { Icon } from "./icons";

/** Choices below a heading. */
export interface ChoiceGroup {
  readonly title: string;
  readonly choices: readonly Choice[];
}

/** Letters typed within this time of each other form one word, ms. */
const WORD_MS = 700;
/** The letters typed last in an open menu. */
let typed = { word: "", at: 0 };

/** The next item after the focused one that begins with the typed letters. */
function itemTyped(items: readonly HTMLElement[], at: number, key: string): number | undefined {
  const now = performance.now();
  const isOn = now - typed.at < WORD_MS;
  typed = { word: (isOn ? typed.word : "") + key.toLowerCase(), at: now };
  // A repeated letter moves to the next item; a longer word may match the focused item.
  const isOneLetter = new Set(typed.word).size === 1;
  const word = isOneLetter ? key.toLowerCase() : typed.word;
  const from = isOneLetter ? at + 1 : Math.max(0, at);
  const found = items
    .map((_, i) => (from + i) % items.length)
    .find((i) => items[i]?.textContent?.trim().toLowerCase().startsWith(word));
  return found;
}

/** Moves the focus among the items of a menu. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>("[role=menuitemradio]")];
  const at = items.indexOf(document.activeElement as HTMLElement);
  const isLetter = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
  const isTyped = isLetter && (event.key !== " " || performance.now() - typed.at < WORD_MS);
  const targets: Record<string, number> = {
    ArrowDown: (at + 1) % items.length,
    ArrowUp: (at - 1 + items.length) % items.length,
    Home: 0,
    End: items.length - 1,
  };
  const to = isTyped ? itemTyped(items, at, event.key) : targets[event.key];
  // A letter belongs to the menu: the keyboard shortcuts of the page must not see it.
  if (isTyped) event.stopPropagation();
  if (to === undefined) return;
  event.preventDefault();
  items[to]?.focus();
}

/** A chip that opens a menu of choices; the chosen one is checked. */
export function ChoiceMenu({
  label,
  className = "chip",
  buttonText,
  chosen,
  choices = [],
  groups = [{ title: "", choices }],
  choose,
}: {
  label: string;
  className?: string;
  /** The present value as the chip shows it. */
  buttonText: string;
  chosen: string;
  choices?: readonly Choice[];
  /** Replaces `choices` if the choices have headings. */
  groups?: readonly ChoiceGroup[];
  choose: (id: string) => void;
}) {
  const id = useId();
  const chip = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);

  const all = groups.flatMap((group) => group.choices);
  const tabStop = all.some((choice) => choice.id === chosen) ? chosen : all[0]?.id;

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
    // The menu scrolls if it does not fit.
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
        aria-label={`${label}: ${buttonText}`}
        title={buttonText}
      >
        <span>{label}</span>
        <b>{buttonText}</b>
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
        {groups.map(({ title, choices: below }) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset belongs to a form; this is a part of a menu
          <div key={title} role="group" aria-label={title || label}>
            {title !== "" && (
              <p className="menu-part" aria-hidden="true">
                {title}
              </p>
            )}
            {below.map((choice) => (
              <Item
                key={choice.id}
                choice={choice}
                isChosen={choice.id === chosen}
                isTabStop={choice.id === tabStop}
                choose={() => {
                  menu.current?.hidePopover();
                  if (choice.id !== chosen) choose(choice.id);
                }}
              />
            ))}
          </div>
        ))}
      </div>
    </>
  );
}

function Item({
  choice: { title, about },
  isChosen,
  isTabStop,
  choose,
}: {
  choice: Choice;
  isChosen: boolean;
  /** The one item that Tab reaches; arrow keys and letters reach the others. */
  isTabStop: boolean;
  choose: () => void;
}) {
  return (
    <button
      type="button"
      role="menuitemradio"
      aria-checked={isChosen}
      tabIndex={isTabStop ? 0 : -1}
      onClick={choose}
    >
      <span className="tick">{isChosen && <Icon name="check" />}</span>
      <span>
        <b>{title}</b>
        {about && <small>{about}</small>}
      </span>
    </button>
  );
}
