// When the explanation of a term appears and disappears.

/** Hovering over plain words for this long shows their explanation, ms; a control takes longer. */
const WORDS_MS = 250;
const ACTS_MS = 700;
/** The pointer may take this long to move into the panel, ms. */
const AWAY_MS = 250;

/** The functions that show and hide the panel. */
interface Panel {
  readonly panel: HTMLElement;
  readonly show: (term: Element) => void;
  readonly hide: () => void;
  /** The term whose explanation is shown. */
  readonly current: () => Element | null;
  /** The term next to the panel may have moved. */
  readonly moved: () => void;
}

const termOf = (target: EventTarget | null): Element | null =>
  target instanceof Element ? target.closest("[data-term]") : null;

/** Is the term plain words, so that a press asks for its explanation? */
const isWords = (term: Element) => term.classList.contains("term");

/** Listens until the returned function is called. */
export function watchTerms({ panel, show, hide, current, moved }: Panel): () => void {
  let timer: ReturnType<typeof setTimeout>;
  /**
   * An element pressed with the mouse: it performs its action, and is not explained until the
   * pointer has left.
   */
  let pressed: Element | null = null;
  let isTouch = false;
  const isInside = (target: EventTarget | null) => target instanceof Node && panel.contains(target);
  const later = (act: () => void, ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(act, ms);
  };
  const now = (act: () => void) => {
    clearTimeout(timer);
    act();
  };
  const open = (term: Element) => now(() => term !== current() && show(term));

  const listeners: {
    readonly [K in keyof DocumentEventMap]?: (event: DocumentEventMap[K]) => void;
  } = {
    pointerover: ({ target, pointerType }) => {
      if (pointerType !== "mouse") return;
      const term = termOf(target);
      if (term !== pressed) pressed = null;
      if (term && term !== current()) {
        if (!pressed)
          later(() => term.isConnected && open(term), isWords(term) ? WORDS_MS : ACTS_MS);
      } else if (term || isInside(target)) clearTimeout(timer);
      else later(hide, AWAY_MS);
    },
    pointerdown: ({ target, pointerType }) => {
      isTouch = pointerType !== "mouse";
      if (isInside(target)) return;
      const term = termOf(target);
      if (term && !isWords(term) && !isTouch) pressed = term;
      if (term !== current() || pressed) now(hide);
    },
    click: ({ target, detail }) => {
      const term = termOf(target);
      if (!term || !(isWords(term) || isTouch)) return;
      open(term);
      // After a key press, move on to the link in the panel.
      if (detail === 0 && isWords(term)) panel.querySelector("a")?.focus();
    },
    focusin: ({ target }) => {
      const term = termOf(target);
      if (term && term === target && term.matches(":focus-visible")) open(term);
    },
    focusout: ({ target, relatedTarget }) => {
      const isOfPanel = isInside(target) || target === current();
      if (isOfPanel && !isInside(relatedTarget) && relatedTarget !== current()) now(hide);
    },
    keydown: ({ key }) => {
      const term = current();
      if (!term || !["Escape", "Tab"].includes(key)) return;
      // From the panel, Tab continues after the term.
      if (isInside(document.activeElement) && term instanceof HTMLElement) term.focus();
      if (key === "Escape") now(hide);
    },
  };
  for (const [name, listener] of Object.entries(listeners)) {
    document.addEventListener(name, listener as EventListener, { capture: true });
  }
  addEventListener("scroll", moved, { capture: true, passive: true });
  addEventListener("resize", moved);
  addEventListener("hashchange", hide);
  return () => {
    clearTimeout(timer);
    hide();
    for (const [name, listener] of Object.entries(listeners)) {
      document.removeEventListener(name, listener as EventListener, { capture: true });
    }
    removeEventListener("scroll", moved, { capture: true });
    removeEventListener("resize", moved);
    removeEventListener("hashchange", hide);
  };
}
