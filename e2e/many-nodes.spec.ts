import { expect, type Page, test } from "@playwright/test";
import { pressOn, settled } from "./journey";
import { eightNodesAddress } from "./links";

/** Ends of the drawn hops and centres of the numbered stops, in px of the screen. */
const drawn = (page: Page) =>
  page.evaluate(() => {
    const hops = [...document.querySelectorAll<SVGPathElement>(".metro path")].map((path) => {
      const place = (at: number) => {
        const { x, y } = path
          .getPointAtLength(at)
          .matrixTransform(path.getScreenCTM() ?? undefined);
        return { x, y };
      };
      return { from: place(0), to: place(path.getTotalLength()) };
    });
    const stops = [...document.querySelectorAll<HTMLElement>(".stop")]
      .sort((a, b) => Number(a.textContent) - Number(b.textContent))
      .map((stop) => {
        const box = stop.getBoundingClientRect();
        return { x: box.x + box.width / 2, y: box.y };
      });
    return { hops, stops };
  });

for (const width of [1440, 1024, 800]) {
  test(`the route connects every stop of eight nodes at ${width} px`, async ({ page }) => {
    test.slow();
    await page.setViewportSize({ width, height: 900 });
    await page.goto(eightNodesAddress());
    await expect(page.getByRole("region", { name: "Node 7", exact: true })).toBeVisible({
      timeout: 30_000,
    });
    await expect(page.getByRole("button", { name: "Into" })).toBeEnabled();
    for (let i = 0; i < 60; i += 1) {
      if (await page.getByText(/^wants order/).isVisible()) break;
      await pressOn(page, "ArrowRight");
    }
    await expect(page.getByText(/: (\d+ zones? (to try|tried)|zone \d+ of 10)/)).toBeVisible();
    const { hops, stops } = await settled(() => drawn(page));
    expect(stops.length).toBe(10);
    expect(hops.length).toBe(9);
    const near = (a: { x: number; y: number }, b: { x: number; y: number }) =>
      Math.abs(a.x - b.x) < 5 && Math.abs(a.y - b.y) < 2;
    for (const [i, from] of stops.slice(0, -1).entries()) {
      const to = stops[i + 1];
      if (!to) throw new Error("a stop has no successor");
      expect(
        hops.some((hop) => near(hop.from, from) && near(hop.to, to)),
        `hop ${i + 1}`,
      ).toBe(true);
    }
  });
}
