import { expect, type Page } from "@playwright/test";
import { deflateSync, inflateSync, strFromU8, strToU8 } from "fflate";

/** Packs a text in the same way as links are packed. */
export const pack = (text: string): string =>
  Buffer.from(deflateSync(strToU8(text))).toString("base64url");

/** The document that an address contains. */
export function documentOf(address: string): Record<string, unknown> {
  const packed = new URL(address).hash.split("x=")[1] ?? "";
  return JSON.parse(strFromU8(inflateSync(Buffer.from(packed, "base64url"))));
}

/**
 * The cursor of the address, once the page is at rest and has written it. Before the call, wait
 * until the page shows the result of an action: until the engine answers, the page is at rest at
 * the previous moment.
 */
export async function cursorOf(page: Page): Promise<{ step: number; hash: string }> {
  await expect.poll(() => page.url()).toContain("x=");
  const cursor = () => documentOf(page.url()).cursor as { step: number; hash: string };
  // An opened link may contain no step until the page writes one.
  const isWritten = async () => {
    // First wait until the page is at rest: playback also writes the address, and may stop at
    // another step.
    const isAtRest = await page.getByRole("button", { name: "Play", exact: true }).isVisible();
    const shown = (await page.getByTitle("Go to a step or time").textContent()) ?? "";
    return isAtRest && Number(/#([\d,]+)/.exec(shown)?.[1]?.replaceAll(",", "")) === cursor()?.step;
  };
  await expect.poll(isWritten).toBe(true);
  return cursor();
}

/** Opens the page and waits until the first scenario is at its first moment. */
export async function openFirst(page: Page, at = "./#/workbench"): Promise<void> {
  await page.goto(at);
  await expect(page.getByRole("region", { name: "Why" })).toContainText("free pages", {
    timeout: 20_000,
  });
}

/** A small machine of eight nodes whose distances are those between the corners of a cube. */
function eightNodes(): Record<string, unknown> {
  const NORMAL = 0x100000;
  const ids = [0, 1, 2, 3, 4, 5, 6, 7];
  const steps = (from: number, to: number) =>
    [1, 2, 4].filter((bit) => ((from ^ to) & bit) !== 0).length;
  const ownRange = (id: number) => ({ start_pfn: NORMAL + id * 1024, pages: 1024 });
  const low = [
    { start_pfn: 0, pages: 512 },
    { start_pfn: 4096, pages: 512 },
  ];
  return {
    id: "eight-nodes",
    title: "Eight nodes",
    arch: "x86_64",
    page_size_kib: 4,
    nodes: ids.map((id) => ({
      ranges: id === 0 ? [...low, ownRange(0)] : [ownRange(id)],
      cpus: 1,
      reserved: { Normal: 16 },
    })),
    distances: ids.map((from) => ids.map((to) => 10 + 10 * steps(from, to))),
    hz: 250,
    thp: "always",
    costs: "s2011",
    pcp: true,
    zonelist_order: "default",
    tunables: {},
  };
}

/** The address of a run whose allocations visit eight nodes. */
export function eightNodesAddress(): string {
  const changes = [
    [["machine"], eightNodes()],
    [["id"], ""],
  ];
  const x = pack(JSON.stringify({ v: 1, preset: "first-touch.teach", changes }));
  return `./#/workbench?x=${x}`;
}

/** Opens a ready-made experiment by its link, with the parts of the view that differ from the default. */
export async function openPreset(
  page: Page,
  preset: string,
  view: Record<string, unknown> = {},
): Promise<void> {
  const text = JSON.stringify({ v: 4, preset, changes: [], view });
  await page.goto(`./#/workbench?x=${pack(text)}`);
}
