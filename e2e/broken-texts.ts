import type { Page } from "@playwright/test";

/** Finds texts that are cut off or that overlap another text. */
export const brokenTexts = (page: Page, within = "body") =>
  page.evaluate((selector) => {
    const rects: { words: string; element: Element; box: DOMRect }[] = [];
    const found: string[] = [];
    const root = document.querySelector(selector);
    if (!root) return [`no ${selector}`];
    /** The part of a text that the boxes around it leave visible. */
    const seen = (box: DOMRect, element: Element): DOMRect => {
      let { left, right, top, bottom } = box;
      for (let at: Element | null = element; at; at = at.parentElement) {
        if (getComputedStyle(at).overflow === "visible") continue;
        const room = at.getBoundingClientRect();
        left = Math.max(left, room.left);
        right = Math.min(right, room.right);
        top = Math.max(top, room.top);
        bottom = Math.min(bottom, room.bottom);
      }
      return new DOMRect(left, top, Math.max(0, right - left), Math.max(0, bottom - top));
    };
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const element = texts.currentNode.parentElement;
      const words = texts.currentNode.textContent?.trim();
      // A halo is a second copy of the text, drawn behind it.
      const isDrawnTwice = element?.closest(".sr, .halo");
      if (!element || !words || !element.checkVisibility() || isDrawnTwice) continue;
      const range = document.createRange();
      range.selectNodeContents(texts.currentNode);
      for (const whole of range.getClientRects()) {
        const box = seen(whole, element);
        if (box.width > 1 && box.height > 1) rects.push({ words, element, box });
      }
      // A text that is cut on purpose ends in an ellipsis, and its title has the whole text.
      for (let at: Element | null = element; at && at !== root; at = at.parentElement) {
        const { overflowX, textOverflow } = getComputedStyle(at);
        const isCut = overflowX === "hidden" && at.scrollWidth > at.clientWidth + 1;
        if (isCut && textOverflow !== "ellipsis") found.push(`cut: ${words}`);
        if (overflowX !== "visible") break;
      }
    }
    for (const { words, box } of rects) {
      if (box.right > innerWidth + 1 || box.left < -1) found.push(`outside: ${words}`);
    }
    // The fixed and sticky bars cover content that scrolls beneath them.
    const isFixed = (element: Element) =>
      element.closest(".top, .trans, .phonebar, .tabs-m, .hd, .ticker");
    for (const [i, a] of rects.entries()) {
      if (isFixed(a.element)) continue;
      for (const b of rects.slice(i + 1)) {
        if (a.element === b.element || isFixed(b.element)) continue;
        const across = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
        const down = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
        const height = Math.min(a.box.height, b.box.height);
        if (across > 2 && down > height * 0.45) found.push(`overlap: ${a.words} / ${b.words}`);
      }
    }
    return found;
  }, within);
