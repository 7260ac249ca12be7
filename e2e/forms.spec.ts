import AxeBuilder from "@axe-core/playwright";
import { expect, type Page, test } from "@playwright/test";
import { atStart } from "./journey";
import { cursorOf, documentOf, openFirst } from "./links";

const dialog = (page: Page) => page.getByRole("dialog", { name: "The experiment" });
const open = (page: Page) =>
  dialog(page).getByRole("button", { name: "Open from the start" }).click();
/** The experiment in the address, as text. */
const linked = (page: Page) => expect.poll(() => JSON.stringify(documentOf(page.url()).changes));

/** Unfolds the details of the machine or the workload. */
async function unfold(page: Page, part: "machine" | "workload"): Promise<void> {
  await page.keyboard.press("x");
  await dialog(page).getByText(`Inside the ${part}`).click();
}

test("changing a ready-made machine makes a custom machine, and undo restores the original", async ({
  page,
}) => {
  await openFirst(page);
  const begun = await cursorOf(page);
  const cpus = page.getByText("CPUs 2–3");
  await expect(cpus).toBeVisible();
  await unfold(page, "machine");
  await dialog(page).getByRole("button", { name: "Node 1", exact: true }).click();
  const field = dialog(page).getByRole("textbox", { name: "CPUs" });
  await expect(field).toHaveValue("2");
  await field.fill("3");
  await expect(dialog(page).getByRole("combobox", { name: "Machine" })).toHaveValue("\u0000");
  await expect(dialog(page).getByText(/2 nodes, .*, 5 CPUs/)).toBeVisible();

  // Memory of a node in MiB: the JSON has pages, and the hole before it is named.
  await dialog(page).getByRole("button", { name: "Add a range" }).click();
  await expect(dialog(page).getByRole("textbox", { name: "Begins at" }).last()).toBeFocused();
  const size = dialog(page).getByRole("textbox", { name: "Size", exact: true });
  const ranges = await size.count();
  // The format of a size is described once, and every size refers to it.
  await expect(dialog(page).getByText(/^Size\. .*Pages, or a size with a unit/)).toHaveCount(1);
  for (let i = 0; i < ranges - 1; i += 1) {
    await expect(size.nth(i)).toHaveAccessibleDescription(/^[\d,]+ pages, .*or a size with a unit/);
  }
  await size.nth(ranges - 1).fill("8 MiB");
  await expect(dialog(page).getByText(/^2,048 pages, 8.MiB/)).toBeVisible();
  await expect(
    dialog(page)
      .getByText(/^hole of .* before it$/)
      .last(),
  ).toBeVisible();
  await dialog(page).getByRole("button", { name: "JSON", exact: true }).click();
  await expect(dialog(page).getByRole("textbox", { name: "The experiment as JSON" })).toHaveValue(
    /"pages": 2048/,
  );
  await dialog(page).getByRole("button", { name: "Fields" }).click();
  await open(page);
  await expect(dialog(page)).toBeHidden();
  await atStart(page);
  await expect(page.getByText("CPUs 2–4")).toBeVisible();
  await expect(page.getByRole("button", { name: /^Machine/ })).toContainText("changed");
  await page.keyboard.press("Control+z");
  await expect(cpus).toBeVisible();
  await expect.poll(async () => (await cursorOf(page)).hash).toBe(begun.hash);
});

test("refuses an invalid machine at its field and focuses the field", async ({ page }) => {
  await openFirst(page);
  await unfold(page, "machine");
  await dialog(page).getByRole("button", { name: "Node 0", exact: true }).click();
  const size = dialog(page).getByRole("textbox", { name: "Size", exact: true }).first();
  await size.fill("54 bananas");
  const distance = dialog(page).getByRole("textbox", { name: "Distance from node 0 to node 1" });
  await distance.fill("7000");
  await dialog(page).getByRole("button", { name: "Node 0", exact: true }).click();
  await expect(size).toBeHidden();
  await open(page);
  await expect(size).toBeFocused();
  await expect(size).toHaveAccessibleDescription(/expected a whole number/);
  await expect(distance).toHaveAccessibleDescription(/not a whole number from 0 to 255/);
  const { violations } = await new AxeBuilder({ page }).include("dialog").analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map((n) => n.html)])).toEqual([]);

  // Typing is undone step by step, with the button and with the keys.
  await dialog(page).getByRole("button", { name: "Undo this edit" }).click();
  await expect(distance).toHaveValue("21");
  await page.keyboard.press("Control+z");
  await expect(dialog(page).getByRole("combobox", { name: "Machine" })).not.toHaveValue("\u0000");
  await page.keyboard.press("Control+Shift+z");
  await expect(size).toHaveValue("54 bananas");
});

test("sets zones by keyboard, refuses a wrong border at its field, and restores the zones of the kernel", async ({
  page,
}) => {
  await openFirst(page);
  await unfold(page, "machine");
  const set = dialog(page).getByRole("button", { name: "Set the zones by hand" });
  await set.press("Enter");
  const kind = dialog(page).getByRole("combobox", { name: "Zone type" });
  await expect(kind).toHaveCount(4);
  await expect(kind.first()).toBeFocused();
  const border = dialog(page).getByRole("textbox", { name: "Ends below" });
  await expect(border.first()).toHaveValue("0x1000");
  await border.nth(1).fill("8 MiB");
  await expect(border.nth(1)).toHaveAccessibleDescription(/^at 8.MiB/);
  await open(page);
  await expect(border.nth(1)).toBeFocused();
  await expect(border.nth(1)).toHaveAccessibleDescription(/must not be below the border before/);
  const { violations } = await new AxeBuilder({ page }).include("dialog").analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map((n) => n.html)])).toEqual([]);

  // The added zone is at its position and has the focus.
  await border.first().fill("8 MiB");
  await border.nth(1).fill("4 GiB");
  await dialog(page).getByRole("button", { name: "Add zone Device" }).press("Enter");
  await expect(kind.last()).toBeFocused();
  await expect(kind.last()).toHaveValue("Device");
  await open(page);
  await expect(dialog(page)).toBeHidden();
  await atStart(page);
  await linked(page).toContain('"below_pfn":2048,"kind":"DMA"');

  await unfold(page, "machine");
  for (const name of ["Device", "Movable", "Normal", "DMA32", "DMA"]) {
    await dialog(page)
      .getByRole("button", { name: `Remove: zone ${name}`, exact: true })
      .press("Enter");
  }
  await expect(set).toBeFocused();
  await dialog(page).getByRole("button", { name: "Undo this edit" }).click();
  await expect(border).toHaveValue("0x800");
  await page.keyboard.press("Control+Shift+z");
  await expect(set).toBeVisible();
  await open(page);
  await expect(dialog(page)).toBeHidden();
  await linked(page).not.toContain("zones");
});

test("the fields of an experiment show the tunables that its machine sets", async ({ page }) => {
  await openFirst(page);
  await unfold(page, "machine");
  await dialog(page).getByRole("button", { name: "Set at boot" }).press("Enter");
  const own = dialog(page).getByRole("textbox", { name: "vm.swappiness (machine)" });
  const of = dialog(page).getByRole("textbox", { name: "vm.swappiness", exact: true });
  await expect(of).toHaveAttribute("placeholder", "60");
  await own.fill("7000");
  await expect(of).toHaveAttribute("placeholder", "7000");
  await open(page);
  await expect(own).toBeFocused();
  await expect(own).toHaveAccessibleDescription(/not a whole number from 0 to 100/);
  await own.fill("5");
  await open(page);
  await expect(dialog(page)).toBeHidden();
  await atStart(page);
  await linked(page).toContain('"vm.swappiness":"5"');

  // If the kernel has no such tunable, the field says so and offers to remove it.
  await unfold(page, "machine");
  await dialog(page).getByRole("button", { name: "Set at boot" }).press("Enter");
  await dialog(page).getByRole("textbox", { name: "vm.min_free_kbytes (machine)" }).fill("256");
  await own.fill("");
  await dialog(page).getByRole("button", { name: "JSON", exact: true }).click();
  const json = dialog(page).getByRole("textbox", { name: "The experiment as JSON" });
  await expect(json).not.toHaveValue(/swappiness/);
  // The item at the caret is explained below the text, as the text's description.
  for (const key of ["Control+Home", "ArrowDown", "End", "ArrowLeft", "ArrowLeft"]) {
    await json.press(key);
  }
  await expect(dialog(page).getByText(/^id Stable id/)).toBeVisible();
  await expect(json).toHaveAccessibleDescription(/Stable id/);
  await json.press("ArrowDown");
  await expect(json).toHaveAccessibleDescription(/The name on the page and in shared links/);
  await json.fill((await json.inputValue()).replace('vm.min_free_kbytes": "256', 'vm.moon": "1'));
  await dialog(page).getByRole("button", { name: "Fields" }).click();
  await open(page);
  const moon = dialog(page).getByRole("textbox", { name: "vm.moon (machine)" });
  await expect(moon).toBeFocused();
  await expect(moon).toHaveAccessibleDescription(/unknown tunable/);
  await moon.fill("");
  await expect(moon).toBeHidden();
});

test("builds a program by keyboard: adds, fills in, moves and removes an operation", async ({
  page,
}) => {
  await openFirst(page);
  await unfold(page, "workload");
  const process = dialog(page).getByRole("button", { name: "huge", exact: true });
  await process.press("Enter");
  const steps = dialog(page).getByRole("button", { name: /^(Move up|Move down|Remove): / });
  await expect(steps.first()).toBeVisible();
  await dialog(page).getByRole("button", { name: "Add an operation to huge" }).press("Enter");
  const operation = dialog(page).getByRole("combobox", { name: "Operation" });
  await expect(operation).toBeFocused();
  await operation.selectOption("alloc");
  await dialog(page).getByRole("textbox", { name: "Pool" }).fill("ring");
  await dialog(page).getByRole("textbox", { name: "Order" }).fill("3");
  await dialog(page).getByRole("combobox", { name: "Which memory" }).selectOption("atomic");
  const step = "allocate 32 of order 3 into ring (atomic)";
  const up = dialog(page).getByRole("button", { name: `Move up: ${step}` });
  await up.press("Enter");
  // It is now the first and cannot move further; the focus stays on it.
  await expect(up).toBeDisabled();
  await expect(dialog(page).getByRole("textbox", { name: "Pool" })).toHaveValue("ring");
  await page.keyboard.press("Enter");
  await open(page);
  await expect(dialog(page)).toBeHidden();
  await atStart(page);
  await linked(page).toMatch(/"op":"alloc".*"ring"/);

  await unfold(page, "workload");
  await dialog(page).getByRole("button", { name: "huge", exact: true }).press("Enter");
  await dialog(page)
    .getByRole("button", { name: `Remove: ${step}` })
    .press("Enter");
  await expect(dialog(page).getByRole("button", { name: /^Remove: repeat/ })).toBeFocused();
  await dialog(page)
    .getByRole("button", { name: /^touch all of arena/ })
    .press("Enter");
  await dialog(page).getByRole("textbox", { name: "Region" }).fill("nowhere");
  await open(page);
  const region = dialog(page).getByRole("textbox", { name: "Region" });
  await expect(region).toBeFocused();
  await expect(region).toHaveAccessibleDescription(/region 'nowhere' is not mapped/);
});

test("each patch has a switch, and a kernel that cannot take the patch says why", async ({
  page,
}) => {
  await openFirst(page);
  await page.keyboard.press("x");
  const patch = (name: RegExp) => dialog(page).getByRole("checkbox", { name });
  await patch(/^zlcfirst/).check();
  await dialog(page)
    .getByText(/patches for other kernels$/)
    .click();
  await patch(/^checklow/).check();
  await open(page);
  await expect(patch(/^checklow/)).toBeFocused();
  await expect(patch(/^checklow/)).toHaveAccessibleDescription(/does not apply to this kernel/);
  await patch(/^checklow/).uncheck();
  await open(page);
  await expect(dialog(page)).toBeHidden();
  await atStart(page);
  await linked(page).toContain('["patches"],["zlcfirst"]');
  await page.keyboard.press("x");
  await expect(patch(/^zlcfirst/)).toBeChecked();
});
