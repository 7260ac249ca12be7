import { expect as quick, test } from "@playwright/test";
import { cursorOf, documentOf } from "./links";

/** Two engines start and run, which takes longer on a busy machine. */
const expect = quick.configure({ timeout: 20_000 });
test.describe.configure({ timeout: 90_000 });

test("the first page shows a refused zone, continues with one button, and pauses", async ({
  page,
}) => {
  await page.goto("./");
  await expect(page.getByRole("heading", { level: 1 })).toContainText("Linux kernel");
  const stage = page.getByRole("complementary", { name: "A machine at its first watermark" });
  await expect(stage.getByText(/not above low \(/)).toBeVisible({ timeout: 20_000 });
  const clock = () => stage.locator(".clock").textContent();
  const before = await clock();
  await stage.getByRole("button", { name: "Run on" }).click();
  await expect(stage.getByRole("button", { name: "Pause" })).toBeVisible();
  await expect.poll(clock).not.toBe(before);
  await stage.getByRole("button", { name: "Pause" }).click();
  await expect(stage.getByRole("button", { name: "Run on" })).toBeEnabled();
});

test("the first machine tells its story in plain words and in order", async ({ page }) => {
  await page.clock.install();
  await page.goto("./");
  const stage = page.getByRole("complementary", { name: "A machine at its first watermark" });
  await expect(stage.getByText(/not above low \(/)).toBeVisible({ timeout: 20_000 });
  await stage.getByRole("button", { name: "Run on" }).click();
  const story = stage.locator(".nar p").first();
  for (const sentence of [
    /Memory fills/,
    /low watermark/,
    /wakes kswapd\d, the kernel thread that frees memory/,
    /checks (each|it)/,
    /frees \d+ of them/,
    /can stop|sleeps/,
  ]) {
    await expect
      .poll(
        async () => {
          await page.clock.runFor(300);
          return story.textContent();
        },
        { intervals: [10], timeout: 30_000 },
      )
      .toMatch(sentence);
  }
  // The sentence leads to a decision, not to the middle of a function.
  await stage.getByRole("link", { name: "Step through it" }).click();
  const why = page.getByRole("region", { name: "Why" });
  await expect(why.locator(".sentence")).toBeVisible();
});

test("a newcomer steps the first scenario after two clicks on the first page", async ({ page }) => {
  await page.goto("./");
  const stage = page.getByRole("complementary", { name: "A machine at its first watermark" });
  const sentence = stage.getByText(/not above low \(/);
  await expect(sentence).toBeVisible({ timeout: 20_000 });
  await expect(stage.getByRole("link", { name: "Step through it" })).toHaveAttribute("href", /x=/);
  await stage.getByRole("link", { name: "Step through it" }).click();
  const why = page.getByRole("region", { name: "Why" });
  await expect(why).toContainText("not above low (");
  const { step } = await cursorOf(page);
  await page.getByRole("button", { name: "Into" }).click();
  await expect.poll(async () => (await cursorOf(page)).step).toBeGreaterThan(step);
  await page.goBack();
  await expect(page.getByRole("heading", { level: 1 })).toContainText("Linux kernel");
});

test("shows both nodes of the first machine side by side", async ({ page }) => {
  for (const [width, height] of [
    [1440, 900],
    [1280, 800],
    [1024, 768],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.goto("./");
    const nodes = [0, 1].map((id) => page.getByRole("region", { name: `Node ${id}`, exact: true }));
    const tops = () => Promise.all(nodes.map(async (node) => (await node.boundingBox())?.y ?? -1));
    await expect.poll(async () => new Set(await tops()).size).toBe(1);
    expect((await tops())[0]).toBeGreaterThan(0);
  }
});

test("viewing the first page stores no draft and no address", async ({ page }) => {
  await page.goto("./");
  await page.getByRole("button", { name: "Run on" }).click();
  await page.getByRole("button", { name: "Pause" }).click();
  await page.waitForTimeout(500);
  expect(await page.evaluate(() => localStorage.getItem("mmscope.draft"))).toBeNull();
  expect(new URL(page.url()).hash).toBe("");
});

test("every question opens its experiment at a decision", async ({ page }) => {
  await page.goto("./");
  const questions = page.getByRole("region", { name: "Questions to explore" }).getByRole("link");
  await expect(questions.first()).toBeVisible();
  const count = await questions.count();
  test.setTimeout(30_000 * count);
  expect(count).toBeGreaterThan(4);
  for (let i = 0; i < count; i += 1) {
    await questions.nth(i).click();
    await expect(page.getByRole("region", { name: "Why" }).locator(".compare")).toBeVisible();
    await expect.poll(() => page.url()).toContain("x=");
    expect(documentOf(page.url()).preset).toMatch(/teach$/);
    await page.getByRole("link", { name: "mmscope: home" }).click();
  }
});

test("opens a pasted zoneinfo from the first page", async ({ page }) => {
  await page.goto("./");
  await page.getByRole("link", { name: /^Paste your/ }).click();
  await expect(page.getByRole("dialog", { name: "Your machine" })).toBeVisible();
  await expect(page.getByRole("textbox").first()).toBeFocused();
});

test("refuses an unknown preset by name", async ({ page }) => {
  await page.goto("./#/workbench?preset=nobody");
  await expect(page.getByRole("alertdialog")).toContainText('no ready-made experiment "nobody"');
});

test("the keyboard reaches and uses everything on the first page", async ({ page }) => {
  await page.goto("./");
  await expect(page.getByRole("button", { name: "Run on" })).toBeEnabled();
  const seen: string[] = [];
  for (let i = 0; i < 80; i += 1) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(() => {
      const element = document.activeElement;
      if (!element || element === document.body) return null;
      return {
        words: (element.getAttribute("aria-label") ?? element.textContent ?? "").trim(),
        isSeen: getComputedStyle(element).outlineStyle !== "none",
      };
    });
    if (!at) break;
    expect(at.isSeen, at.words).toBe(true);
    seen.push(at.words);
  }
  const order = [
    "mmscope: home",
    "Run on",
    "Step through it",
    /^Where does/,
    /^Watermarks and kswapd/,
  ];
  const places = order.map((name) =>
    seen.findIndex((words) => (typeof name === "string" ? words === name : name.test(words))),
  );
  expect(places).not.toContain(-1);
  expect([...places].sort((a, b) => a - b)).toEqual(places);
  await page.getByRole("button", { name: "Run on" }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "Pause" })).toBeVisible();
});
