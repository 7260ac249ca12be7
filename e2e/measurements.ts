// Measurements of how a page looks.

import type { Page } from "@playwright/test";

/** Visible texts whose effective size is below a number of CSS px, 12 by default. */
export const smallTexts = (page: Page, least_px = 12) =>
  page.evaluate((least_px) => {
    const found: string[] = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const element = texts.currentNode.parentElement;
      const words = texts.currentNode.textContent?.trim();
      if (!element || !words || !element.checkVisibility() || element.closest(".sr")) continue;
      const scale =
        element instanceof SVGGraphicsElement
          ? Math.abs(element.getScreenCTM()?.d ?? 1)
          : (element as Element & { currentCSSZoom: number }).currentCSSZoom;
      const size = Number.parseFloat(getComputedStyle(element).fontSize) * scale;
      if (size < least_px - 0.01) found.push(`${words}: ${size}`);
    }
    return found;
  }, least_px);

/** How far the page scrolls sideways. */
export const sideways = (page: Page) =>
  page.evaluate(() => {
    const stage = document.querySelector("main");
    return Math.max(
      document.documentElement.scrollWidth - innerWidth,
      stage ? stage.scrollWidth - stage.clientWidth : 0,
    );
  });

/**
 * Targets that are too small for touch. Names and terms inside a sentence may be as high as the
 * line of the sentence.
 */
export const smallTargets = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll("button, a, input, select, textarea, summary")]
      .filter(
        (target) =>
          target.checkVisibility() &&
          !target.closest(".sentence, .sr") &&
          !target.matches(".at, .term, q .name, .nar p .name, p a"),
      )
      .map((target) => ({
        target,
        // A click on a label activates its field.
        box: (target.closest("label") ?? target).getBoundingClientRect(),
      }))
      .filter(({ box }) => box.height > 0 && (box.height < 43.9 || box.width < 43.9))
      .map(({ target, box }) => `${target.outerHTML.slice(0, 90)} ${box.width} x ${box.height}`),
  );

/** Counts the numbers that start a rolling animation from now on. */
export async function watchRolls(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const counter = { rolls: 0 };
    Object.assign(window, { counter });
    const animate = Element.prototype.animate;
    Element.prototype.animate = function (...args) {
      counter.rolls += 1;
      return animate.apply(this, args);
    };
  });
  return () => page.evaluate((): number => Reflect.get(window, "counter").rolls);
}

/**
 * Clipped texts inside some elements: they are wider or higher than a surrounding box that hides
 * overflow. Scrollable text, and text that is shown in full elsewhere, does not count.
 */
export const cutTexts = (page: Page, within: string) =>
  page.evaluate((within) => {
    const found: string[] = [];
    const isHiding = (overflow: string) => overflow === "hidden" || overflow === "clip";
    for (const part of document.querySelectorAll(within)) {
      const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        const element = texts.currentNode.parentElement;
        const words = texts.currentNode.textContent?.trim();
        if (!element || !words || !element.checkVisibility() || element.closest(".sr, svg"))
          continue;
        const range = document.createRange();
        range.selectNodeContents(texts.currentNode);
        const text = range.getBoundingClientRect();
        for (
          let box: Element | null = element;
          box && box !== document.body;
          box = box.parentElement
        ) {
          const style = getComputedStyle(box);
          const edge = box.getBoundingClientRect();
          const isCut =
            (isHiding(style.overflowX) &&
              (text.right > edge.right + 1 || text.left < edge.left - 1)) ||
            (isHiding(style.overflowY) &&
              (text.bottom > edge.bottom + 3 || text.top < edge.top - 3));
          // The reader can scroll this box to see the whole text.
          if (/auto|scroll/.test(`${style.overflowX} ${style.overflowY}`) && !isCut) break;
          if (!isCut) continue;
          found.push(`${words.slice(0, 60)} in ${box.className || box.tagName}`);
          break;
        }
      }
    }
    return found;
  }, within);

/** Pairs of children of an element that overlap. */
export const overlaps = (page: Page, within: string) =>
  page.evaluate((within) => {
    const found: string[] = [];
    for (const part of document.querySelectorAll(within)) {
      const boxes = [...part.children]
        .filter((child) => child.checkVisibility())
        .map((child) => ({ child, box: child.getBoundingClientRect() }))
        .filter(({ box }) => box.width > 0 && box.height > 0);
      for (const [i, a] of boxes.entries())
        for (const b of boxes.slice(i + 1)) {
          const x = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
          const y = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
          const words = ({ textContent, className }: Element) =>
            `${className}: ${(textContent ?? "").slice(0, 30)}`;
          if (x > 1 && y > 1) found.push(`${words(a.child)} over ${words(b.child)}`);
        }
      const { left, right } = part.getBoundingClientRect();
      for (const { child, box } of boxes)
        if (box.right > right + 1 || box.left < left - 1)
          found.push(`${child.className} beside it`);
    }
    return found;
  }, within);
