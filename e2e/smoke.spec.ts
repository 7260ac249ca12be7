import { expect, test } from "@playwright/test";

// Requests of the service worker count, too.
test.use({ serviceWorkers: "allow" });

for (const place of ["", "#/workbench", "#/lesson/watermarks-and-kswapd"]) {
  test(`./${place} opens under a sub-path without a console message`, async ({ page }) => {
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

test("the policy of the page forbids everything it does not need, and nothing is inline", async ({
  request,
}) => {
  const html = await (await request.get("./")).text();

  // Pictures of the page are painted from data addresses that the page itself makes.
  const policy =
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' data:; base-uri 'none'";
  expect(html).toContain(`content="${policy}"`);
  expect(html).not.toMatch(/<script(?![^>]*\bsrc=)/);
  expect(html.replace(policy, "")).not.toMatch(/<style|\sstyle=|\son\w+=|data:/);
});

test("help leads to the licences of all bundled parts", async ({ page, request }) => {
  await page.goto("./#/workbench");
  await page.getByRole("button", { name: "Keys and help" }).click();
  const link = page.getByRole("dialog").getByRole("link", { name: "licences" });
  const address = new URL((await link.getAttribute("href")) ?? "", page.url());
  const licences = await (await request.get(address.href)).text();

  // A package of the page, one of its workers, a crate of the engine, and a font.
  for (const name of [/^react \d/m, /^fflate \d/m, /^serde \d/m, /^plex-sans/m])
    expect(licences).toMatch(name);
  const library = await request.get(new URL("LICENSES-rust.html", address).href);
  expect(await library.text()).toContain("The Rust Standard Library");
});
