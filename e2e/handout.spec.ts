import { expect as quick, test } from "@playwright/test";

/** Nine runs are made for the key, on a machine that may be busy. */
const expect = quick.configure({ timeout: 40_000 });
test.describe.configure({ timeout: 90_000 });

test("a lesson is printed with its questions first, and answers of runs from a new page on", async ({
  page,
}) => {
  // No dialog of the system: what would be printed stands there as long as the mark does.
  await page.addInitScript(() => {
    window.print = () => void document.documentElement.setAttribute("data-printing", "");
    addEventListener("afterprint", (event) => {
      if ("printing" in document.documentElement.dataset) event.stopImmediatePropagation();
    });
  });
  await page.goto("./#/lesson/watermarks-and-kswapd");
  await expect(page.getByRole("img", { name: /^Zone Normal on node 0/ })).toBeVisible();
  await page.getByRole("button", { name: "Print a handout" }).press("Enter");
  await expect(page.locator("html[data-printing]")).toBeAttached();
  // On the screen nothing of it shows.
  const key = page.getByRole("region", { name: "Answers" });
  await expect(key).toBeHidden();
  await expect(page.getByText("By then the zone is down to min.").first()).toBeHidden();

  await page.emulateMedia({ media: "print" });
  await expect(page.getByRole("navigation", { name: "Steps of this lesson" })).toBeHidden();
  await expect(page.getByRole("img", { name: /^Zone Normal on node 0/ })).toBeVisible();
  const body = page.locator(".handout .body");
  await expect(body).toContainText("Who will free most of the pages it needs?");
  await expect(body).not.toContainText("By then the zone is down to min.");
  // Later questions stand there, and no step that answers an earlier one.
  await expect(body).toContainText("How often is the book read from the disk?");
  await expect(body).not.toContainText("the whole film plays without a single stall");
  await expect(key).toContainText("the whole film plays without a single stall");
  await expect(key).toContainText("By then the zone is down to min.");
  await expect(key).toContainText(/factor 10: The player itself\. The player stopped \d+ times/);
  await expect(key).toContainText(/factor 500: kswapd\./);
  await expect(key).toContainText("factor 700: Every time.");
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(1440);

  // The answers begin the one page that is forced, and nothing larger than half a page is kept whole.
  const kept = await page.evaluate(() => {
    const all = [...document.querySelectorAll<HTMLElement>(".handout, .handout *")];
    const style = (element: HTMLElement) => getComputedStyle(element);
    return {
      forced: all
        .filter((each) => style(each).breakBefore === "page")
        .map((each) => each.className),
      tall: all
        .filter((each) => style(each).breakInside === "avoid" && each.offsetHeight > 560)
        .map((each) => `${each.className} ${each.offsetHeight}`),
    };
  });
  expect(kept).toEqual({ forced: ["key"], tall: [] });
  const pages = async () =>
    (await page.pdf({ format: "A4" })).toString("latin1").match(/\/Type\s*\/Page\b/g)?.length ?? 0;
  const all = await pages();
  await key.evaluate((element) => element.remove());
  expect(await pages()).toBeLessThan(all);

  await page.emulateMedia({ media: "screen" });
  await page.evaluate(() => {
    document.documentElement.removeAttribute("data-printing");
    dispatchEvent(new Event("afterprint"));
  });
  await expect(page.locator(".handout")).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Print a handout" })).toBeVisible();
});

test("the page as it stands prints without what is not told, on white", async ({ page }) => {
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  await page.goto("./#/lesson/the-stall-that-was-not-the-disk");
  await expect(page.getByRole("heading", { name: /^A prediction: the shop/ })).toBeVisible();
  await expect(page.getByRole("button", { name: "Print a handout" })).toBeHidden();
  await expect(page.getByText("The disk did not cause this stall.")).toHaveCount(0);
  const scheme = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
  expect(await scheme()).toBe("light");
});
