import { gzipSync } from "node:zlib";
import { expect, type Response, test } from "@playwright/test";
import { openFirst } from "./links";

test("asks no other host, breaks no policy, and logs nothing", async ({ page, baseURL }) => {
  const complaints: string[] = [];
  const hosts = new Set<string>();
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => hosts.add(new URL(request.url()).host));
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`);
    });
  });
  await openFirst(page);
  for (const key of ["ArrowRight", "ArrowLeft", "?"]) await page.keyboard.press(key);
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /theme/ }).click();
  await page.getByRole("button", { name: "Play" }).click();
  await page.getByRole("button", { name: "Pause" }).click();
  expect(complaints).toEqual([]);
  expect([...hosts]).toEqual([new URL(baseURL ?? "").host]);
});

test("the first figure costs at most 180 kB of scripts and styles", async ({ page }) => {
  const responses: Response[] = [];
  page.on("response", (response) => responses.push(response));
  await openFirst(page);
  const sizes = await Promise.all(
    responses
      .filter((response) => /\.(js|css)$/.test(new URL(response.url()).pathname))
      .map(async (response) => gzipSync(await response.body()).length),
  );
  expect(sizes.length).toBeGreaterThan(1);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(180_000);
});
