// What can be measured of how a page looks.

import type { Page } from "@playwright/test";

/** Texts on screen that are smaller than so many CSS px, 12 unless told, as a person sees them. */
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

/** How far the page can be pushed sideways. */
export const sideways = (page: Page) =>
  page.evaluate(() => {
    const stage = document.querySelector("main");
    return Math.max(
      document.documentElement.scrollWidth - innerWidth,
      stage ? stage.scrollWidth - stage.clientWidth : 0,
    );
  });

/** Targets a finger would miss; names inside a sentence are as high as its line. */
export const smallTargets = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll("button, a, input, select, textarea, summary")]
      .filter(
        (target) =>
          target.checkVisibility() &&
          !target.closest(".sentence, .sr") &&
          !target.matches(".at, q .name, .nar p .name, p a"),
      )
      .map((target) => ({
        target,
        // A label is pressed for its field.
        box: (target.closest("label") ?? target).getBoundingClientRect(),
      }))
      .filter(({ box }) => box.height > 0 && (box.height < 43.9 || box.width < 43.9))
      .map(({ target, box }) => `${target.outerHTML.slice(0, 90)} ${box.width} x ${box.height}`),
  );

/** Counts numbers that begin to roll, from now on. */
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
