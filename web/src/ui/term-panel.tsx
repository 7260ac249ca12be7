// The panel that explains a term. The whole page has one panel. An element's `data-term` names its
// entries of the glossary. The panel shows when the element is hovered, gets the focus by keyboard,
// or is pressed. It hides on Escape, when the focus moves away, or when the pointer leaves both.

import { ENTRIES } from "virtual:glossary";
import { useEffect, useId, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { pageZoom, useFit, zoomOf } from "./fit";
import { watchTerms } from "./term-watch";
import { TERM_PANEL } from "./words";

/** The entries that `data-term` names. */
const entriesOf = (term: string) =>
  term.split(" ").flatMap((id) => ENTRIES.find((entry) => entry.id === id) ?? []);

/** Space between a term and its panel, and around the panel, px. */
const GAP_PX = 6;
const EDGE_PX = 8;

/** Places the panel below its term, or above it if there is no room below. */
function place(panel: HTMLElement, anchor: Element): void {
  const at = anchor.getClientRects()[0] ?? anchor.getBoundingClientRect();
  const zoom = zoomOf(panel);
  const { offsetWidth: width, offsetHeight: height } = panel;
  const below = at.bottom / zoom + GAP_PX;
  const isBelow = below + height + EDGE_PX <= innerHeight / zoom || at.top / zoom < height + GAP_PX;
  const most = innerWidth / zoom - width - EDGE_PX;
  panel.style.top = `${isBelow ? below : at.top / zoom - GAP_PX - height}px`;
  panel.style.left = `${Math.max(EDGE_PX, Math.min(at.left / zoom, most))}px`;
}

/** Explains the term that is hovered, focused or pressed. */
export function TermPanel() {
  const panel = useRef<HTMLElement>(null);
  const words = useId();
  const [entries, setEntries] = useState<typeof ENTRIES>([]);
  const { text } = useFit();
  useEffect(() => {
    const element = panel.current;
    if (!element) return;
    let anchor: Element | null = null;
    const hide = () => {
      anchor?.removeAttribute("aria-describedby");
      anchor = null;
      element.hidePopover?.();
      setEntries([]);
    };
    const show = (term: Element) => {
      const found = entriesOf(term.getAttribute("data-term") ?? "");
      hide();
      if (found.length === 0) return;
      flushSync(() => setEntries(found));
      anchor = term;
      // A screen reader speaks the explanation after the name.
      term.setAttribute("aria-describedby", words);
      element.showPopover?.();
      place(element, term);
    };
    return watchTerms({
      panel: element,
      show,
      hide,
      current: () => anchor,
      moved: () => anchor && place(element, anchor),
    });
  }, [words]);
  return (
    <aside
      ref={panel}
      popover="manual"
      className="term-panel"
      aria-label={TERM_PANEL.explanation}
      style={pageZoom(text)}
    >
      <div id={words}>
        {entries.map(({ id, names, text: meaning }) => (
          <div key={id}>
            <b>{names[0]}</b>
            <p>{meaning}</p>
          </div>
        ))}
      </div>
      {entries[0] && <a href={`#/glossary/${entries[0].id}`}>{TERM_PANEL.moreInGlossary}</a>}
    </aside>
  );
}
