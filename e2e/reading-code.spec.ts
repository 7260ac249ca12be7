// Reading the code and the reason: the lines of this kernel, the link to the sources, the cause of a branch.

import { expect, type Page, test } from "@playwright/test";
import { choose, currentStep, goToMoment, isAt, settled, stepOn, whyOf } from "./journey";
import { openFirst } from "./links";

const code = (page: Page) => page.getByRole("region", { name: "Pseudo-code" });
const lines = (page: Page) => code(page).getByRole("region", { name: /^Lines of / });

/** Steps until the panel shows a function. */
async function untilIn(page: Page, name: string): Promise<void> {
  const heading = code(page).getByRole("heading", { name, exact: true });
  for (let i = 0; i < 40 && !(await heading.isVisible()); i += 1) await stepOn(page);
  await expect(heading).toBeVisible();
}

for (const [width, height, rows] of [
  [1440, 900, 14],
  [1280, 720, 10],
] as const) {
  test(`at ${width} x ${height}, there is space for ${rows} rows of code, and no step moves it`, async ({
    page,
  }) => {
    await page.setViewportSize({ width, height });
    await openFirst(page);
    const room = await lines(page).boundingBox();
    expect(room?.height).toBeGreaterThanOrEqual(20 * rows);
    expect((room?.y ?? 0) + (room?.height ?? 0)).toBeLessThanOrEqual(height);
    const places = () =>
      Promise.all(
        ["Why", "Pseudo-code", "Call stack", "Locals", "Events in this step"].map((name) =>
          page.getByRole("region", { name }).boundingBox(),
        ),
      );
    const before = await settled(places);
    for (let i = 0; i < 8; i += 1) {
      await stepOn(page);
      for (const line of await lines(page).getByRole("listitem").all()) {
        const box = await line.boundingBox();
        expect(box?.height).toBeGreaterThanOrEqual(20);
        expect(box?.height).toBeLessThanOrEqual(41);
      }
      expect(await places()).toEqual(before);
    }
  });
}

test("shows only the lines of this kernel and the lines of others on request", async ({ page }) => {
  await openFirst(page);
  await untilIn(page, "get_page_from_freelist");
  const setup = lines(page).getByText(/^zlc_setup\(\), zlc_active = 1/);
  await expect(lines(page).getByText("after the first zone: zlc_setup()")).toBeVisible();
  await expect(setup).toBeHidden();
  const others = code(page).getByRole("button", { name: "Other kernels" });
  await others.click();
  await expect(setup).toBeVisible();
  await expect(setup).toContainText("3.1 to 3.16");
  await others.click();
  await expect(setup).toBeHidden();
});

test("a function links to its definition in the sources of this kernel or says that there is none", async ({
  page,
}) => {
  await openFirst(page);
  await untilIn(page, "get_page_from_freelist");
  const link = code(page).getByRole("link", {
    name: "get_page_from_freelist in the sources of Linux 3.0, in a new tab",
  });
  await expect(link).toHaveAttribute("rel", "noreferrer");
  await expect(link).toHaveAttribute("target", "_blank");
  await expect(link).toHaveAttribute(
    "href",
    "https://elixir.bootlin.com/linux/v3.0/A/ident/get_page_from_freelist",
  );
  const stack = page.getByRole("region", { name: "Call stack" });
  await expect(stack.getByRole("link", { name: /^__alloc_pages_nodemask in the/ })).toBeVisible();
  await untilIn(page, "user mode");
  await expect(code(page)).toContainText("not in the kernel sources");
  await expect(code(page).getByRole("link")).toHaveCount(0);
});

test("shows a decision until the next one and names the function that made it", async ({
  page,
}) => {
  await openFirst(page);
  const step = await currentStep(page);
  const why = (await whyOf(page).textContent()) ?? "";
  const at = page.getByRole("button", { name: /^Go to step .*, where it was decided$/ });
  await expect(at).toBeHidden();
  await stepOn(page);
  await expect(whyOf(page)).toHaveText(why);
  await expect(at).toHaveText(`#${step.toLocaleString("en-GB")}`);
  await at.click();
  await isAt(page, step);
  await expect(whyOf(page)).toHaveText(why);
});

test("a wake-up names every zone that failed and leads to where each crossed its watermark", async ({
  page,
}) => {
  await openFirst(page);
  await choose(page, /^A hog that must swap, teaching size/);
  const step = await goToMoment(page, "hogWakesKswapd");
  const failed = page.getByRole("list", { name: "Zones that failed the watermark check" });
  const zones = failed.getByRole("listitem");
  await expect(zones.first()).toContainText(
    / on node \d: [\d,]+ free(, [\d,]+ counted)?, (low|high) [\d,]+/,
  );
  const node = /on (node \d)/.exec((await zones.first().textContent()) ?? "")?.[1] ?? "none";
  const machine = page.getByRole("main");
  const ofNode = machine.getByRole("img", { name: new RegExp(`^Zone \\w+ on ${node}: `) });
  await expect(zones).toHaveCount(await ofNode.count());
  const crossed = failed.getByRole("button", { name: /last crossed its (low|high) watermark$/ });
  await crossed.first().click();
  await expect.poll(() => currentStep(page)).toBeLessThan(step);
});

test("the arrow keys step no matter what was clicked last, except in text fields", async ({
  page,
}) => {
  await openFirst(page);
  const clicked = [
    page.getByRole("tab", { name: "Values" }),
    page.getByRole("slider", { name: /^Speed/ }),
    page.getByRole("grid", { name: /Page map of node 1/ }),
    page
      .getByRole("button", { name: "Other kernels" })
      .or(page.getByRole("heading", { name: "Why" })),
  ];
  for (const each of clicked) {
    const step = await currentStep(page);
    await each.first().click();
    await page.keyboard.press("ArrowRight");
    await isAt(page, step + 1);
    await page.keyboard.press("ArrowLeft");
    await isAt(page, step);
  }
  // When the tabs have the keyboard focus, they use the arrow keys.
  await page.getByRole("tab", { name: "Values" }).focus();
  await page.keyboard.press("ArrowLeft");
  await expect(page.getByRole("tab", { name: "Breakpoints" })).toBeFocused();
  await page.keyboard.press("ArrowRight");
  const step = await currentStep(page);
  const find = page.getByRole("searchbox", { name: "Find a counter" });
  await find.click();
  await find.pressSequentially("pgfa");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.type("u");
  await expect(find).toHaveValue("pgfua");
  await isAt(page, step);
});

test("shows the last sentence in full beside the ticker, with a link to its step", async ({
  page,
}) => {
  await openFirst(page);
  await page.keyboard.press(",");
  await page.getByRole("tab", { name: /^Breakpoints/ }).click();
  await page.keyboard.press("b");
  await page.keyboard.press("Home");
  await isAt(page, 0);
  await page.keyboard.press(",");
  const notice = page.getByRole("region", { name: "Last action" });
  await expect(notice).toContainText("No breakpoint was hit before this moment.");
  const [ticker, box] = [
    await page.getByRole("region", { name: "What happens" }).boundingBox(),
    await notice.boundingBox(),
  ];
  if (!ticker || !box) throw new Error("nothing is drawn");
  expect(box.x).toBeGreaterThanOrEqual(ticker.x + ticker.width);
  expect(box.y + box.height).toBeLessThanOrEqual(ticker.y + ticker.height + 1);
  await notice.getByRole("button", { name: "Dismiss" }).click();
  await expect(notice).toBeHidden();
});
