// Accessibility violations that axe finds on a page or in a part of it.

import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

const WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
/**
 * The colour rules of axe. The themes differ only in colours, so the dark theme needs no other
 * rules.
 */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

interface Look {
  /** A selector for the part to check; the default is the whole page. */
  readonly part?: string;
  /** Every rule of axe, not only those of WCAG. */
  readonly withBestPractices?: boolean;
}

/**
 * Expects no violation of any rule in the light theme, and of the colour rules in the dark theme.
 */
export async function axeFindsNothing(page: Page, look: Look = {}): Promise<void> {
  await page.emulateMedia({ colorScheme: "light" });
  expect(await faults(builder(page, look, "all")), "in the light theme").toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await faults(builder(page, look, "colours")), "in the dark theme").toEqual([]);
  await page.emulateMedia({ colorScheme: "light" });
}

function builder(page: Page, { part, withBestPractices }: Look, rules: "all" | "colours") {
  // The default mode opens a second page for each check, to handle frames of other hosts. The page
  // has no such frames.
  const axe = new AxeBuilder({ page }).setLegacyMode(true);
  if (part !== undefined) axe.include(part);
  if (rules === "colours") return axe.withRules(COLOUR_RULES);
  return withBestPractices ? axe : axe.withTags(WCAG);
}

/** The violated rules, each with the elements that violate it. */
async function faults(axe: AxeBuilder) {
  const { violations } = await axe.analyze();
  return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
}
