import { type Page, expect as quick, test } from "@playwright/test";

/** Two engines start and run, which takes longer on a busy machine. */
const expect = quick.configure({ timeout: 20_000 });
test.describe.configure({ timeout: 90_000 });

/** A lesson: its first question, an answer to it, a text after it, and a text after the next question. */
const LESSONS = [
  {
    id: "watermarks-and-kswapd",
    first: "A prediction: who does the work?",
    answer: /^The player itself/,
    told: "By then the zone is down to min.",
    later: /kswapd is already awake at this moment/,
    next: "A prediction: a database and a shop",
    nextTold: /One test on one machine would not have shown/,
  },
  {
    id: "dirty-pages",
    first: "A prediction: ten seconds later",
    answer: /^None of it/,
    told: "The flusher waits on purpose.",
    later: /A program that must be sure calls/,
    next: "A prediction: a long export",
    nextTold: /With an SSD that writes 200 MB/,
  },
  {
    id: "the-stall-that-was-not-the-disk",
    first: "A prediction: the shop",
    answer: /^All 200/,
    told: "The disk did not cause this stall.",
    later: /gives up without freeing any/,
    next: "A prediction: the counters",
    nextTold: /alone shows nothing of this stall/,
  },
  {
    id: "when-kswapd-shrinks-a-zone-that-was-fine",
    first: "A prediction: the lower zone",
    answer: /^Yes/,
    told: "kswapd scans thousands of pages in DMA32",
    later: /Neither kernel checks whether a request can get a page/,
    next: "A prediction: whose pages are evicted too early?",
    nextTold: /the argument is not confirmed/,
  },
  {
    id: "stalling-on-nothing",
    first: "A prediction: 100 milliseconds",
    answer: /^Not at all/,
    told: "the function returned before the next tick",
    later: /It asks one question/,
    next: "A prediction: the allocator’s wait",
    nextTold: /was the only sleep that the writers had/,
  },
  {
    id: "making-room-for-a-huge-page",
    first: "A prediction: where they meet",
    answer: /^Between 15 and 27/,
    told: "The scanners meet where the free memory ends",
    later: /it takes free pages, one by one/,
    next: "A prediction: the older way",
    nextTold: /kswapd has no other method/,
  },
  {
    id: "tasks-and-their-memory",
    first: "A prediction: distance or crowding",
    answer: /^far/,
    told: "crowding costs more with each task that joins",
    later: /No CPU tells the kernel which memory a task uses/,
    next: "A prediction: five accesses",
    nextTold: /which became 3\.8, on node 2 with 6\.1/,
  },
];

/** All text that a search, a screen reader or a printer can find. */
const everything = async (page: Page) =>
  `${await page.locator("body").evaluate((body) => body.textContent)} ${await page.locator("body").ariaSnapshot()}`;

for (const { id, first, answer, told: secret, later, next, nextTold: nextSecret } of LESSONS) {
  test(`${id} hides the text behind a question until it is answered or shown on request`, async ({
    page,
  }) => {
    await page.goto(`./#/lesson/${id}`);
    const step = (title: string) => page.getByRole("region", { name: new RegExp(`^${title}`) });
    const asks = step(first.replace("?", "\\?"));
    await expect(asks.getByRole("button", { name: "Show me anyway" })).toBeVisible();
    expect(await everything(page)).not.toContain(secret);
    expect(await everything(page)).not.toMatch(later);

    // A later step names the question that comes first, and leads there.
    const rail = page.getByRole("navigation", { name: "Steps of this lesson" });
    await rail.getByRole("button", { name: next }).click();
    const waits = step(next.replace("?", "\\?"));
    await waits.getByRole("button", { name: first }).click();
    await expect(asks.getByRole("heading", { level: 2 })).toBeFocused();

    await asks.getByRole("radio", { name: answer }).check();
    await asks.getByRole("button", { name: "Run it" }).click();
    await expect(page.getByText(secret)).toBeVisible();
    await expect(page.getByText(later)).toBeVisible();

    // The next question hides its own text until the reader asks for it.
    await expect(waits.getByRole("radio").first()).toBeVisible();
    expect(await everything(page)).not.toMatch(nextSecret);
    await waits.getByRole("button", { name: "Show me anyway" }).press("Enter");
    await expect(page.getByText(nextSecret)).toBeVisible();
    await page.reload();
    await expect(page.getByText(secret)).toBeVisible();
    await expect(page.getByText(nextSecret)).toBeVisible();
  });
}
