import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import AxeBuilder from "@axe-core/playwright";
import { expect, type Page, test } from "@playwright/test";
import { unzipSync } from "fflate";
import { sideways } from "./measurements";

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
const TEXTS = ["manual", "glossary", "experiment", "links"];

const faultsOf = async (page: Page) => {
  const { violations } = await new AxeBuilder({ page }).withTags(TAGS).analyze();
  return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
};

test("the first page and the help lead to the manual and the glossary", async ({ page }) => {
  await page.goto("./");
  const texts = page.getByRole("region", { name: "Look it up" });
  await texts.getByRole("link", { name: "Glossary" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Glossary" })).toBeVisible();
  await expect(page.getByRole("cell", { name: "pageblock", exact: true })).toBeVisible();
  await page.getByRole("link", { name: "Manual" }).first().click();
  await expect(page.getByRole("heading", { level: 1, name: "Manual" })).toBeVisible();

  await page.goto("./#/workbench");
  await page.getByRole("button", { name: "Keys and help" }).click();
  await page.getByRole("dialog").getByRole("link", { name: "Manual" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Manual" })).toBeFocused();
});

test("each section of the manual has an address and an entry in the list of sections", async ({
  page,
}) => {
  await page.goto("./#/manual/the-event-log");
  const section = page.getByRole("heading", { name: "The event log" });
  await expect(section).toBeInViewport();
  await expect(section).toBeFocused();
  await page.getByRole("navigation", { name: "Sections" }).getByText("Lessons").click();
  await expect(page).toHaveURL(/#\/manual\/lessons$/);
  await expect(page.getByRole("heading", { name: "Lessons" })).toBeInViewport();
  await page.goBack();
  await expect(section).toBeInViewport();
});

for (const text of TEXTS) {
  test(`shows all of ${text}, and its links have targets`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: text === "glossary" ? "dark" : "light" });
    await page.goto(`./#/${text}`);
    const main = page.getByRole("main");
    await expect(main.getByRole("heading", { level: 1 })).toBeVisible();
    // A table that was not parsed would show its bars.
    await expect(main).not.toContainText("| ---");
    expect(await faultsOf(page)).toEqual([]);
    const hrefs = await main
      .getByRole("link")
      .evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""));
    expect(hrefs.filter((href) => !/^(#\/|https:)/.test(href))).toEqual([]);
    const ids = await page.locator("[id]").evaluateAll((elements) => elements.map(({ id }) => id));
    const own = hrefs.filter((href) => href.startsWith(`#/${text}/`));
    expect(own.filter((href) => !ids.includes(href.split("/")[2] ?? ""))).toEqual([]);
  });
}

test("every text fits a phone", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const text of [...TEXTS, "lesson-folder", "nonsense"]) {
    await page.goto(`./#/${text}`);
    await expect(page.getByRole("main").getByRole("heading", { level: 1 })).toBeVisible();
    expect(await sideways(page)).toBe(0);
  }
});

test("reports an unknown address and loses nothing", async ({ page }) => {
  await page.goto("./#/workbench");
  await expect(page.getByRole("button", { name: "Into" })).toBeEnabled({ timeout: 20_000 });
  await page.goto("./#/nonsense");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("There is no such page");
  await expect(page.getByRole("main")).toContainText("#/nonsense");
  expect(await faultsOf(page)).toEqual([]);
  await page.goto("./#/non%20sense?x=<b>1");
  await expect(page.getByRole("main")).toContainText("#/non sense?x=<b>1");
  await page.getByRole("link", { name: "Workbench", exact: true }).click();
  await expect(page.getByRole("button", { name: "Into" })).toBeEnabled({ timeout: 20_000 });
});

test("a lesson ends with a link to the next one, and the last lesson with a link to the list", async ({
  page,
}) => {
  await page.goto("./#/lesson/watermarks-and-kswapd");
  const next = page.getByRole("navigation", { name: "After this lesson" });
  const seen = new Set<string>();
  for (;;) {
    const link = next.getByRole("link").first();
    await expect(link).toBeVisible({ timeout: 20_000 });
    if ((await link.textContent()) === "All lessons") break;
    const href = (await link.getAttribute("href")) ?? "";
    expect(seen.has(href)).toBe(false);
    seen.add(href);
    await link.click();
    await expect(page).toHaveURL(new RegExp(`${href}$`));
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(/./);
    if (seen.size > 20) throw new Error("the lessons go in a circle");
  }
  await expect(next).toContainText("This is the last lesson of the course.");
  await next.getByRole("link", { name: "All lessons" }).click();
  await expect(page.getByRole("heading", { name: "The course" })).toBeVisible();
});

test("describes the folder of a lesson and saves and opens its template", async ({
  page,
}, info) => {
  await page.goto("./#/lesson-folder");
  await expect(page.getByRole("region", { name: "How to write one" })).toContainText(
    "questions.json",
  );
  expect(await faultsOf(page)).toEqual([]);
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: /^Save the template/ }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe("my-lesson.zip");
  const saved = info.outputPath("my-lesson.zip");
  await download.saveAs(saved);
  const folder = info.outputPath("my-lesson");
  mkdirSync(folder, { recursive: true });
  for (const [name, bytes] of Object.entries(unzipSync(readFileSync(saved)))) {
    writeFileSync(join(folder, basename(name)), bytes);
  }
  const asked = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Choose a folder" }).click();
  await (await asked).setFiles(folder);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("My lesson", {
    timeout: 20_000,
  });
});
