import AxeBuilder from "@axe-core/playwright";
import { type Page, expect as quick, test } from "@playwright/test";
import { axeFindsNothing } from "./axe";
import { clockOf } from "./journey";
import { sideways, smallTexts } from "./measurements";

/** An engine runs, which takes longer on a busy machine. */
const expect = quick.configure({ timeout: 40_000 });
test.describe.configure({ timeout: 150_000 });

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
const violations = async (page: Page) => {
  const { violations: found } = await new AxeBuilder({ page }).withTags(TAGS).analyze();
  return found.map(({ id, nodes }) => [id, nodes.map((n) => n.html)]);
};

test("the keyboard leads from the first page to a table, cancels it once, runs it and reads it", async ({
  page,
}) => {
  await page.goto("./");
  await page.getByRole("link", { name: "Published tables beside simulated ones" }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(
    "Published tables and simulated results",
  );
  await page.getByRole("link", { name: /^FS-Mark/ }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(
    "FS-Mark, published and simulated",
  );
  // It opens with the committed full-size results: no value is missing, and it names their origin.
  const full = page.getByRole("table", { name: /^FS-Mark: published.*full size$/ });
  const scanned = full.getByRole("row", { name: /^Direct pages scanned/ });
  await expect(scanned).toContainText("13,091,697");
  await expect(scanned).toContainText(/same direction|differs/);
  await expect(full).not.toContainText(/not run|–/);
  const made = page.getByRole("note", { name: "Where the simulated values come from" });
  await expect(made).toContainText(/were made on \d+ \w+ 20\d\d/);
  await expect(made).toContainText("npm run sim -- fidelity --write --only fsmark");
  const before = await full.innerText();

  // It begins at the published size, which takes long enough to be cancelled.
  await expect(page.getByRole("radio", { name: "Published size" })).toBeChecked();
  await page.getByRole("button", { name: "Run 3 kernels" }).focus();
  await page.keyboard.press("Enter");
  const bar = page.getByRole("progressbar", { name: "Running 3.0-rc6-vanilla" });
  await expect(bar).toHaveAttribute("aria-valuetext", /[1-9].* s simulated/);
  await page.getByRole("button", { name: "Cancel" }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("status")).toContainText("Cancelled: 0 of 3 kernels");
  await expect(bar).toBeHidden();

  await page.getByRole("radio", { name: "Published size" }).focus();
  await page.keyboard.press("ArrowDown");
  await expect(page.getByRole("radio", { name: "Teaching size" })).toBeChecked();
  // Rows that do not scale are named; the full-size table is unchanged.
  const table = page.getByRole("table", { name: /^FS-Mark: published.*teaching size$/ });
  const left = page.getByRole("region", { name: "Left out at teaching size" });
  await expect(left.getByText("Direct pages scanned")).toBeVisible();
  const share = table.getByRole("row", { name: /^Percentage direct scans/ });
  await page.getByRole("button", { name: "Run 3 kernels" }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("status")).toHaveText("All kernels have run.");
  await expect(page.getByRole("region", { name: "Totals, teaching size" })).toContainText(
    /\d+ of \d+ changes agree in direction/,
  );
  await expect(share).toContainText(/same direction|differs/);
  await expect(table).not.toContainText("not run");
  await expect(table.getByRole("row", { name: /^Direct pages scanned/ })).toHaveCount(0);
  expect(await full.innerText()).toBe(before);
  const differing = await full.getByText("differs", { exact: false }).count();
  const region = page.getByRole("region", { name: "Where the results differ" });
  // A row that differs for several kernels is mentioned once.
  await expect.poll(() => region.getByRole("listitem").count()).toBeLessThanOrEqual(differing);
});

test("axe finds no violation in a report in either theme", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto("./#/report");
  await expect(page.getByRole("link", { name: /^FS-Mark/ })).toBeVisible();
  await axeFindsNothing(page);
  await page.goto("./#/report/fsmark");
  await page.getByRole("radio", { name: "Teaching size" }).check();
  await page.getByRole("button", { name: "Run 3 kernels" }).click();
  await expect(page.getByRole("status")).toHaveText("All kernels have run.");
  await axeFindsNothing(page);
});

test("shows simulated waits of reclaimers beside the published ones, kernel by kernel", async ({
  page,
}) => {
  // 48 workers touch resident pages billions of times.
  test.setTimeout(240_000);
  await page.goto("./#/report/stutterp-vmstat");
  const waits = page.getByRole("region", { name: "How long reclaimers were throttled" });
  const written = waits.getByRole("table", { name: /^VMSCAN_THROTTLE_WRITEBACK, direct reclaim/ });
  await expect(written.getByRole("row", { name: /^timeout/ })).toContainText("83,962");
  await page.getByRole("radio", { name: "Teaching size" }).check();
  await page.getByRole("button", { name: "Run 2 kernels" }).click();
  await expect(page.getByRole("status")).toHaveText("All kernels have run.", {
    timeout: 180_000,
  });
  const isolated = waits.getByRole("table", { name: /^VMSCAN_THROTTLE_ISOLATED, direct/ });
  await expect(isolated).toContainText("mm-reclaimcongest-v5r4 simulated");
  // A simulated value without a published value has no bar beside it.
  const progress = waits.getByRole("table", { name: /^VMSCAN_THROTTLE_NOPROGRESS, direct/ });
  await expect(progress.getByRole("row", { name: /^timeout/ })).toContainText(/[1-9]/);
  await waits.getByText("All delays of wait_iff_congested, direct reclaim").click();
  await expect(waits.getByText("82394 delayed=0")).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await expect.poll(() => smallTexts(page)).toEqual([]);

  // The other table is of the same runs; its latencies share one axis.
  await page.goto("./#/report/stutterp-latency");
  const axis = page.getByRole("figure").filter({ hasText: "on one logarithmic axis" });
  await expect(axis).toContainText("mm-reclaimcongest-v5r4: published filled, simulated open");
  await expect(page.getByRole("radio", { name: "Teaching size" })).toHaveCount(0);
  expect(await violations(page)).toEqual([]);
  for (const width of [1440, 768, 390]) {
    await page.setViewportSize({ width, height: 844 });
    await expect.poll(() => sideways(page)).toBeLessThanOrEqual(0);
    await expect.poll(() => smallTexts(page)).toEqual([]);
  }
});

test("a report fits every width", async ({ page }) => {
  await page.goto("./#/report/fsmark");
  await page.getByRole("radio", { name: "Teaching size" }).check();
  await page.getByRole("button", { name: "Run 3 kernels" }).click();
  await expect(page.getByRole("status")).toHaveText("All kernels have run.");
  for (const [width, height] of [
    [1440, 900],
    [1280, 800],
    [1024, 768],
    [768, 1024],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    await expect.poll(() => sideways(page)).toBeLessThanOrEqual(0);
    await expect.poll(() => smallTexts(page)).toEqual([]);
  }
});

test("lists all tables by series with their main figure and their lesson", async ({ page }) => {
  await page.goto("./#/report");
  const series = page.getByRole("main", { name: "Report" }).getByRole("region");
  await expect(series).toHaveCount(5);
  const stalls = page.getByRole("region", { name: /^Reduce frequency of stalls/ });
  await expect(stalls).toContainText("linux-mm, 15 July 2011, Mel Gorman");
  const figure = stalls.getByRole("table", { name: /^Files\/s mean, files\/s, higher is better/ });
  await expect(figure.getByRole("row", { name: /zlcreconsider/ })).toContainText("146.93");
  // Its committed results are beside the published values.
  await expect(figure.getByRole("columnheader", { name: "simulated" })).toBeVisible();
  await expect(stalls).toContainText(/\d+ of \d+ changes of more than 5 % agree in direction/);
  for (const width of [1440, 1000, 390]) {
    await page.setViewportSize({ width, height: 844 });
    expect(await sideways(page)).toBe(0);
    expect(await smallTexts(page)).toEqual([]);
  }
  await axeFindsNothing(page);
  await stalls.getByRole("link", { name: "Local memory first" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Local memory first");
});

test("refuses an unknown table by name", async ({ page }) => {
  await page.goto("./#/report/nothing");
  await expect(page.getByRole("alert")).toContainText("nothing");
  await expect(page.getByRole("link", { name: /^tiobench/ })).toBeVisible();
});

test("results survive a reload, are listed with saved moments, and are deleted there", async ({
  page,
}) => {
  await page.goto("./#/report/fsmark");
  await page.getByRole("radio", { name: "Teaching size" }).check();
  await page.getByRole("button", { name: "Run 3 kernels" }).click();
  await expect(page.getByRole("status")).toHaveText("All kernels have run.");
  await expect(page.getByText(/^The kernels ran .*This browser keeps the results/)).toBeVisible();
  const scanned = page
    .getByRole("table", { name: /^FS-Mark: published.*teaching size$/ })
    .getByRole("row", { name: /^Percentage direct scans/ });
  const shown = (await scanned.textContent()) ?? "";
  await page.reload();
  await page.getByRole("radio", { name: "Teaching size" }).check();
  await expect(page.getByText(/^The kernels ran .*This browser keeps the results/)).toBeVisible();
  await expect(scanned).toHaveText(shown);
  await expect(page.getByRole("button", { name: "Run again" })).toBeVisible();

  await page.goto("./#/workbench");
  await expect(page.getByRole("region", { name: "Why" })).toContainText("free pages");
  await page.keyboard.press("Shift+S");
  const saved = page.getByRole("dialog", { name: "Saved moments" });
  await expect(saved.getByRole("heading", { name: "Results of reports (3)" })).toBeVisible();
  await saved
    .getByRole("button", { name: "Forget the result of fsmark.teach with zlcfirst" })
    .click();
  await expect(saved.getByRole("heading", { name: "Results of reports (2)" })).toBeVisible();
  await page.keyboard.press("Escape");

  await page.goto("./#/report/fsmark");
  await page.getByRole("radio", { name: "Teaching size" }).check();
  await expect(page.getByRole("button", { name: "Run the remaining 1 kernel" })).toBeVisible();
  await page.getByRole("button", { name: "Forget these results" }).click();
  await expect(page.getByRole("button", { name: "Run 3 kernels" })).toBeVisible();
  await expect(page.getByRole("status")).toHaveText("Forgotten.");
});

/** Makes the browser report this number of CPUs. */
const cores = (page: Page, many: number) =>
  page.addInitScript((value) => {
    Object.defineProperty(Navigator.prototype, "hardwareConcurrency", { get: () => value });
  }, many);

test("two kernels run in parallel, and one press stops both", async ({ page }) => {
  await cores(page, 2);
  await page.goto("./#/report/fsmark");
  await expect(page.getByText(/two at a time/)).toBeVisible();
  await page.getByRole("button", { name: "Run 3 kernels" }).click();
  for (const kernel of ["3.0-rc6-vanilla", "zlcfirst"]) {
    const bar = page.getByRole("progressbar", { name: `Running ${kernel}` });
    await expect(bar).toHaveAttribute("aria-valuetext", /[1-9].* s simulated/);
    const live = page.locator("li[data-doing]").filter({ hasText: kernel });
    await expect(live).toContainText(/[1-9][\d,]* KiB written/);
  }
  const third = page.locator("li[data-doing]").filter({ hasText: "zlcreconsider" });
  await expect(third).toContainText("queued");
  const measuring = () => page.workers().filter((worker) => worker.url().includes("measure"));
  expect(measuring()).toHaveLength(2);
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByRole("status")).toContainText("Cancelled: 0 of 3 kernels");
  await expect(page.getByRole("progressbar")).toHaveCount(0);
  await expect.poll(() => measuring().length).toBe(0);
});

test("results do not depend on how many kernels run in parallel", async ({ page, browser }) => {
  const shown = async (on: Page, many: number) => {
    await cores(on, many);
    await on.goto(new URL("./#/report/large-dd", page.url()).href);
    await on.getByRole("radio", { name: "Teaching size" }).check();
    await on.getByRole("button", { name: "Run 3 kernels" }).click();
    await expect(on.getByRole("status")).toHaveText("All kernels have run.");
    const table = on.getByRole("table", { name: /published.*teaching size$/ });
    await expect(table).not.toContainText("not run");
    return table.innerText();
  };
  await page.goto("./#/report");
  const three = await shown(page, 3);
  const context = await browser.newContext({ viewport: page.viewportSize() });
  expect(await shown(await context.newPage(), 1)).toBe(three);
  await context.close();
});

/**
 * Presses Cancel at the first progress report after this simulated time, in s. A press from outside the page
 * may be late.
 */
const cancelBeyond = (page: Page, least_s: number) =>
  page.evaluate((least_s) => {
    const observer = new MutationObserver(() => {
      const words = document.querySelector("[role=progressbar]")?.getAttribute("aria-valuetext");
      if (!(Number(words?.replace(/ s simulated.*|,/g, "")) > least_s)) return;
      observer.disconnect();
      const buttons = [...document.querySelectorAll("button")];
      buttons.find(({ textContent }) => textContent === "Cancel")?.click();
    });
    observer.observe(document.body, { subtree: true, childList: true, attributes: true });
  }, least_s);

/** Makes a ready-made experiment end sooner, for a journey that needs only its beginning. */
const endAt = (page: Page, id: string, length: string) =>
  page.route("**/catalog-*.json", async (route) => {
    const response = await route.fetch();
    const catalog: { presets: [string, string][] } = await response.json();
    const preset = catalog.presets.find(([name]) => name === id);
    if (!preset) throw new Error(`there is no experiment ${id}`);
    preset[1] = JSON.stringify({ ...JSON.parse(preset[1]), length });
    await route.fulfill({ response, json: catalog });
  });

test("a cancelled kernel continues after a reload and gives the same results", async ({ page }) => {
  await cores(page, 1);
  // Most steps come after 200 s: the run is cancelled among them, and ends soon after.
  await endAt(page, "stutterp.teach", "360s");
  const vanilla = "5.15.0-rc1-vanilla";
  const table = page.getByRole("table", { name: /: published and simulated.*teaching size$/ });
  const begin = async (button: string) => {
    await page.getByRole("button", { name: button }).click();
  };
  await page.goto("./#/report/stutterp-vmstat");
  await page.getByRole("radio", { name: "Teaching size" }).check();
  await cancelBeyond(page, 230);
  await begin("Run 2 kernels");
  await expect(page.getByRole("status")).toContainText("Cancelled: 0 of 2 kernels");
  const region = page.getByRole("region", { name: "Run it here" });
  const row = region.getByRole("listitem").filter({ hasText: vanilla });
  await expect(region).toContainText("The progress of each is kept in this browser");
  await expect(row).toContainText(/\d+ s simulated, about \d+ %/);
  const simulated_s = Number(/(\d+) s simulated/.exec(await row.innerText())?.[1]);
  expect(simulated_s).toBeGreaterThan(229);
  expect(simulated_s).toBeLessThan(360);

  // The image of another build is deleted when the page opens; this one stays.
  await page.evaluate(async () => {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle("runs");
    await folder.getFileHandle("stutterp.teach%20k%201%20older.wasm.0", { create: true });
  });
  const files = () =>
    page.evaluate(async () => {
      const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle("runs");
      let found = 0;
      for await (const name of folder.keys()) found += name.includes("older") ? 1 : 0;
      return found;
    });
  expect(await files()).toBe(1);
  await page.reload();
  await page.getByRole("radio", { name: "Teaching size" }).check();
  await expect(row).toContainText(`${simulated_s} s simulated`);
  await expect.poll(files).toBe(0);
  // Its first progress message is not from its beginning.
  const heard = page.getByRole("progressbar", { name: `Running ${vanilla}` });
  await page.evaluate(() => {
    const seen: string[] = [];
    Object.assign(window, { seen });
    new MutationObserver(() => {
      const bar = document.querySelector("[role=progressbar]");
      const words = bar?.getAttribute("aria-valuetext");
      if (words && words !== "0 s simulated") seen.push(words);
    }).observe(document.body, { subtree: true, childList: true, attributes: true });
  });
  await begin("Continue, then run the rest");
  await expect(heard).toHaveAttribute("aria-valuetext", /[1-9].* s simulated/);
  const first = await page.evaluate(() => (window as unknown as { seen: string[] }).seen[0]);
  expect(Number.parseInt(first ?? "", 10)).toBeGreaterThanOrEqual(simulated_s);
  await expect(page.getByRole("status")).toHaveText("All kernels have run.");
  await expect(table).not.toContainText("not run");
  const resumed = await table.innerText();
  // No saved image is left.
  await page.reload();
  await page.getByRole("radio", { name: "Teaching size" }).check();
  await expect(region).not.toContainText("The progress of each");
  await page.getByRole("button", { name: "Forget these results" }).click();
  await begin("Run 2 kernels");
  await expect(page.getByRole("status")).toHaveText("All kernels have run.");
  expect(await table.innerText()).toBe(resumed);
});

test("finished kernels survive a reload during a run", async ({ page }) => {
  await cores(page, 2);
  // The third kernel's worker never starts.
  await page.addInitScript(() => {
    let runs = 0;
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (this: Worker, message: { kind: string }) {
      if (message.kind === "measure") runs += 1;
      if (runs < 3) post.call(this, message);
    };
  });
  await page.goto("./#/report/fsmark");
  await page.getByRole("radio", { name: "Teaching size" }).check();
  await page.getByRole("button", { name: "Run 3 kernels" }).click();
  const list = page.getByRole("region", { name: "Run it here" }).getByRole("listitem");
  for (const kernel of ["3.0-rc6-vanilla", "zlcfirst"]) {
    await expect(list.filter({ hasText: kernel })).toContainText("done");
  }
  await page.reload();
  await page.getByRole("radio", { name: "Teaching size" }).check();
  await page.getByRole("button", { name: "Run the remaining 1 kernel" }).click();
  await expect(page.getByRole("status")).toHaveText("All kernels have run.");
});

test("kernels run one after the other if a second worker cannot start", async ({ page }) => {
  await cores(page, 3);
  await page.addInitScript(() => {
    let living = 0;
    const Real = Worker;
    window.Worker = class extends Real {
      constructor(url: string | URL, options?: WorkerOptions) {
        const measures = String(url).includes("measure");
        if (measures && living > 0) throw new RangeError("out of memory");
        super(url, options);
        if (!measures) return;
        living += 1;
        const end = this.terminate.bind(this);
        this.terminate = () => {
          living -= 1;
          end();
        };
      }
    };
  });
  await page.goto("./#/report/fsmark");
  await page.getByRole("radio", { name: "Teaching size" }).check();
  await page.getByRole("button", { name: "Run 3 kernels" }).click();
  await expect(page.getByRole("status")).toHaveText("All kernels have run.");
});

for (const [name, fault] of [
  [
    "forbidden",
    () => {
      Object.defineProperty(window, "indexedDB", {
        get() {
          throw new DOMException("denied", "SecurityError");
        },
      });
    },
  ],
  [
    "full",
    () => {
      IDBObjectStore.prototype.put = () => {
        throw new DOMException("full", "QuotaExceededError");
      };
    },
  ],
] as const) {
  test(`a report runs with storage ${name} and says that its results are not saved`, async ({
    page,
  }) => {
    await page.addInitScript(fault);
    await page.goto("./#/report/fsmark");
    await page.getByRole("radio", { name: "Teaching size" }).check();
    await page.getByRole("button", { name: "Run 3 kernels" }).click();
    await expect(page.getByRole("status")).toHaveText("All kernels have run.");
    await expect(page.getByText(/are lost when this page closes/)).toBeVisible();
  });
}

test("finds where two kernels first differ and opens the workbench at that line", async ({
  page,
}) => {
  await page.goto("./#/report/stress-highalloc");
  await page.getByRole("radio", { name: "Teaching size" }).check();
  const part = page.getByRole("region", { name: "Where two columns diverge" });
  const find = part.getByRole("button", { name: "Find where they diverge" });
  await part.getByRole("combobox", { name: "First column" }).selectOption("traceonly");
  // One kernel alone cannot be compared.
  await expect(find).toBeDisabled();
  await expect(part.getByText("Choose two different columns.")).toBeVisible();
  await part.getByRole("combobox", { name: "Second column" }).selectOption("blindcompact");
  await find.focus();
  await page.keyboard.press("Enter");
  const far = part.getByText(/^The runs are equal for [\d,]+ steps\.$/);
  await expect(far).toBeVisible();
  // The patch between them stops kswapd from taking whole blocks.
  await expect(part).toContainText(
    "The last line that both ran, by kswapd0 in shrink_inactive_list",
  );
  await expect(part.getByRole("row", { name: /^traceonly/ })).toContainText("shrink_page_list");
  expect(await violations(page)).toEqual([]);

  const step = /[\d,]+/.exec((await far.textContent()) ?? "")?.[0] ?? "";
  await part.getByRole("link", { name: "Open this moment of blindcompact" }).click();
  await expect(page.getByRole("button", { name: "Kernel: blindcompact" })).toBeVisible();
  await expect(clockOf(page)).toContainText(`#${step} `);
  await expect(page.getByRole("region", { name: "Lines of shrink_inactive_list" })).toBeVisible();
});

test("the report of numa/core v18 shows how each result depends on each constant", async ({
  page,
}) => {
  await page.goto("./#/report/specjbb-4x-thp");
  const section = page.getByRole("region", { name: /to each constant$/ });
  const table = section.getByRole("table", { name: /^sum/ });
  await expect(table.getByRole("row", { name: /^published/ })).toContainText("1.221");
  await expect(table.getByRole("row", { name: /^simulated/ })).toContainText(/1\.\d{3}/);
  // Its name occurs once, and each of its two values has a line.
  const share = table.getByRole("rowgroup").filter({ hasText: "Computing with each access" });
  await expect(share.getByRole("row")).toHaveCount(2);
  await expect(share).toContainText("78 ns is used");
  expect(await violations(page)).toEqual([]);
});
