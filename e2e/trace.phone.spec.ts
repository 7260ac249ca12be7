import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect as quick, test } from "@playwright/test";
import { axeFindsNothing } from "./axe";

const expect = quick.configure({ timeout: 20_000 });
test.describe.configure({ timeout: 90_000 });

const made = mkdtempSync(join(tmpdir(), "captures-"));
test.afterAll(() => rmSync(made, { recursive: true, force: true }));

test("shows a capture on a phone without sideways scrolling", async ({ page }) => {
  const capture = join(made, "hog.tar.gz");
  execFileSync("tar", ["-czf", capture, "-C", join(import.meta.dirname, "fixtures"), "hog"]);
  await page.goto("./#/trace");
  await page.getByLabel("Files of a machine").setInputFiles(capture);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(/hog/);
  await expect(page.getByRole("grid", { name: "Events" }).getByRole("row").nth(1)).toBeVisible();
  const width = () =>
    page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
  expect(await width()).toBe(0);
  await axeFindsNothing(page);
});
