import { createServer, type Server } from "node:http";
import { expect, type FrameLocator, type Locator, type Page, test } from "@playwright/test";
import { openShare } from "./keep";
import { cursorOf, openFirst, pack } from "./links";

// The first test opens three engines one after the other.
test.describe.configure({ timeout: 90_000 });

const PACKED = pack(JSON.stringify({ v: 1, preset: "first-touch.teach" }));

/** The console messages of the page and its frames. */
function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on("console", (message) => {
    const isOurs = !message.text().startsWith("Service Worker registration blocked");
    if (["error", "warning"].includes(message.type()) && isOurs) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  return complaints;
}

/**
 * Opens a page of another author on our origin with some code in it. A frame of that page could reach our
 * storage. The page is requested before any worker runs, because a worker that starts meanwhile may never see
 * this route.
 */
async function hostOf(page: Page, baseURL: string | undefined) {
  const host = new URL("/host.html", baseURL).href;
  let body = "";
  await page.route(host, (route) => route.fulfill({ contentType: "text/html", body }));
  return async (code: string) => {
    body = `<!doctype html><html lang="en"><title>Host</title><h1>Host</h1>${code}</html>`;
    // Each caller waits for the content of the frame.
    await page.goto(host, { waitUntil: "commit" });
  };
}

/** A page of another server, under a name that makes it another site. The test stops the server. */
async function anotherHost(code: string): Promise<string> {
  const body = `<!doctype html><html lang="en"><title>Host</title>${code}</html>`;
  const server = createServer((_, answer) => {
    answer.setHeader("content-type", "text/html");
    answer.end(body);
  });
  hosts.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a server without a port");
  return `http://localhost:${address.port}/`;
}
const hosts: Server[] = [];
test.afterEach(() => {
  for (const host of hosts.splice(0)) host.close();
});

/** Everything that the browser stores for mmscope. */
const storageOf = (page: Page) =>
  page.evaluate(() => JSON.stringify(Object.entries(localStorage).sort()));

/** The code of the frame that a part of the page offers. */
const codeIn = (part: Page | Locator) =>
  part.getByRole("textbox", { name: "HTML code of the frame" }).inputValue();

const clockIn = (frame: FrameLocator) => frame.locator(".clock");

test("the code of the share dialog embeds the moment in another page, where it plays and steps", async ({
  page,
  baseURL,
}) => {
  const complaints = complaintsOf(page);
  const showHost = await hostOf(page, baseURL);
  await openFirst(page);
  await cursorOf(page);
  const before = await storageOf(page);
  const share = await openShare(page);
  await share.getByText("In your own page").click();
  await share.getByRole("combobox", { name: "Theme" }).selectOption("dark");
  await share.getByRole("checkbox", { name: "Timeline" }).uncheck();
  const preview = share.frameLocator("iframe");
  await expect(preview.getByRole("button", { name: "Play" })).toBeEnabled({ timeout: 20_000 });
  const code = await codeIn(share);
  expect(code).toMatch(
    /^<iframe src="[^"]+" title="mmscope: [^"]+" width="640" height="400" loading/,
  );

  await showHost(code);
  const frame = page.frameLocator("iframe");
  await expect(frame.getByRole("button", { name: "Play" })).toBeEnabled({ timeout: 20_000 });
  await expect(frame.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect(frame.getByRole("region", { name: "Timeline" })).toBeHidden();
  const link = frame.getByRole("link", { name: "Open in mmscope" });
  await expect(link).toHaveAttribute("target", "_blank");
  const begun = await clockIn(frame).textContent();
  const why = frame.getByRole("contentinfo").locator("p").first();
  const sentence = (await why.textContent()) ?? "";
  await frame.getByRole("button", { name: "Step", exact: true }).click();
  await expect(why).not.toHaveText(sentence);
  await frame.getByRole("button", { name: "Step back" }).click();
  await expect(why).toHaveText(sentence);
  await frame.getByRole("button", { name: "Play" }).click();
  await expect(clockIn(frame)).not.toHaveText(begun ?? "");
  await frame.getByRole("button", { name: "Pause" }).click();
  await expect(frame.getByRole("button", { name: "Play" })).toBeEnabled();
  expect(await storageOf(page)).toBe(before);
  expect(complaints).toEqual([]);
});

test("an embedded page names invalid parameters and does not change the reader's draft", async ({
  page,
}) => {
  await openFirst(page);
  await cursorOf(page);
  const before = await storageOf(page);
  const asked = "embed=stage&theme=pink&controls=step,fly";
  await page.goto(`./#/workbench?x=${PACKED}&${asked}`);
  const faults = page.getByRole("status", { name: "Invalid settings of this frame" });
  await expect(faults).toContainText("“pink” is unknown; choose from auto, light, dark");
  await expect(faults).toContainText("“fly” is unknown");
  const step = page.getByRole("button", { name: "Step", exact: true });
  await expect(step).toBeEnabled({ timeout: 20_000 });
  await expect(page.getByRole("button", { name: "Play" })).toHaveCount(0);
  const clock = page.locator(".clock");
  await step.click();
  await page.keyboard.press("ArrowRight");
  await expect(clock).not.toHaveText("");
  await page.goto("about:blank");
  await page.goto("./#/report?embed=report");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  expect(await storageOf(page)).toBe(before);
});

test("shows a lesson and a report in a frame without the rest of the page", async ({ page }) => {
  const complaints = complaintsOf(page);
  await page.setViewportSize({ width: 640, height: 400 });
  await page.goto("./#/lesson/watermarks-and-kswapd?embed=lesson&theme=dark");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible({ timeout: 20_000 });
  await expect(page.getByRole("link", { name: "mmscope: home" })).toHaveCount(0);
  const link = page.getByRole("link", { name: "Open in mmscope" });
  await expect(link).toHaveAttribute("href", /#\/lesson\/watermarks-and-kswapd$/);
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.goto("about:blank");
  await page.goto("./#/report?embed=report&theme=light");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible({ timeout: 20_000 });
  await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
  await expect(page.getByRole("link", { name: "mmscope: home" })).toHaveCount(0);
  expect(complaints).toEqual([]);
});

test("a lesson and a report offer embed code and run beside a stage in a page of another host", async ({
  page,
}) => {
  const complaints = complaintsOf(page);
  const codes: string[] = [];
  for (const address of ["lesson/watermarks-and-kswapd", "report/fsmark"]) {
    await page.goto(`./#/${address}`);
    await page.getByText("In your own page").click();
    codes.push(await codeIn(page));
  }
  const stage = new URL(`#/workbench?x=${PACKED}&embed=stage`, page.url()).href;
  codes.push(`<iframe src="${stage.replaceAll("&", "&amp;")}" width="640" height="400"></iframe>`);

  await page.goto(await anotherHost(codes.join("<hr>")));
  const [lesson, report, machine] = [0, 1, 2].map((i) => page.frameLocator("iframe").nth(i));
  if (!lesson || !report || !machine) throw new Error("three frames");

  // The browser draws a frame of another host only while it is in view.
  await page.locator("iframe").nth(2).scrollIntoViewIfNeeded();
  await machine.getByRole("button", { name: "Step", exact: true }).click({ timeout: 20_000 });
  await expect(machine.getByRole("button", { name: "Step back" })).toBeEnabled();
  const ask = lesson.getByRole("region", { name: "Prediction", exact: true }).first();
  await ask.getByRole("radio").first().check();
  await ask.getByRole("button", { name: "Run it" }).click();
  await expect(ask.getByText(/^(Right\.|Not this time)/)).toBeVisible({ timeout: 30_000 });
  await report.getByRole("radio", { name: "Teaching size" }).check();
  await report.getByRole("button", { name: "Run 3 kernels" }).click();
  await expect(report.getByText("All kernels have run.")).toBeVisible({ timeout: 30_000 });
  expect(complaints).toEqual([]);
});

test("Escape closes the share dialog even from inside its preview", async ({ page }) => {
  await openFirst(page);
  const button = page.getByRole("button", { name: "Share" });
  await button.press("Enter");
  const share = page.getByRole("dialog", { name: "Share this moment" });
  await share.getByText("In your own page").click();
  const step = share.frameLocator("iframe").getByRole("button", { name: "Step", exact: true });
  await expect(step).toBeEnabled({ timeout: 20_000 });
  await step.press("Escape");
  await expect(share).toBeHidden();
  await expect(button).toBeFocused();
});
