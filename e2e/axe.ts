// What axe finds on a page, or in a part of it.

import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

const WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
/** The rules that look at colours. The themes differ in colours alone, so the dark one needs no others. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

interface Look {
  /** The part that is looked at, as a selector; all of the page unless told. */
  readonly part?: string;
  /** Every rule axe has, not those of WCAG alone. */
  readonly withBestPractices?: boolean;
}

/** Expects that axe finds nothing: by all rules in the light theme, by those of colours in the dark one. */
export async function axeFindsNothing(page: Page, look: Look = {}): Promise<void> {
  await page.emulateMedia({ colorScheme: "light" });
  expect(await faults(builder(page, look, "all")), "in the light theme").toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await faults(builder(page, look, "colours")), "in the dark theme").toEqual([]);
  await page.emulateMedia({ colorScheme: "light" });
}

function builder(page: Page, { part, withBestPractices }: Look, rules: "all" | "colours") {
  // The other mode opens a second page for each look, for frames of other hosts: there are none.
  const axe = new AxeBuilder({ page }).setLegacyMode(true);
  if (part !== undefined) axe.include(part);
  if (rules === "colours") return axe.withRules(COLOUR_RULES);
  return withBestPractices ? axe : axe.withTags(WCAG);
}

/** The rules that are broken, each with the elements that break it. */
async function faults(axe: AxeBuilder) {
  const { violations } = await axe.analyze();
  return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
}
