import { expect, test } from "@playwright/test";

for (const place of ["", "#/workbench", "#/lesson/watermarks-and-kswapd"]) {
  test(`./${place} opens under a sub-path without a complaint`, async ({ page }) => {
    const complaints: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning")
        complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("requestfailed", (request) => complaints.push(`${request.url()} failed`));
    page.on("response", (response) => {
      if (!response.ok()) complaints.push(`${response.url()}: ${response.status()}`);
    });

    await page.goto(`./${place}`);

    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(page.getByRole("img", { name: /^Zone Normal on node 0/ }).first()).toBeVisible({
      timeout: 20_000,
    });
    expect(complaints).toEqual([]);
  });
}

test("the page forbids what it does not need, and has nothing inline", async ({ request }) => {
  const html = await (await request.get("./")).text();

  expect(html).toContain(`content="default-src 'self'; script-src 'self' 'wasm-unsafe-eval'"`);
  expect(html).not.toMatch(/<script(?![^>]*\bsrc=)/);
  expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|data:/);
});
