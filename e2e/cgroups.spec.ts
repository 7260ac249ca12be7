// Memory cgroups: built by keyboard, run to the limit, explained, and read from a pasted text.

import { expect, type Page, test } from "@playwright/test";
import { axeFindsNothing } from "./axe";
import { atStart, goToMoment, goToStep, isFound } from "./journey";
import { openFirst } from "./links";

test.setTimeout(120_000);

const dialog = (page: Page) => page.getByRole("dialog", { name: "The experiment" });
const explain = (page: Page) => page.getByRole("region", { name: "Explain" });
const group = (page: Page, path: string) =>
  page.getByRole("group", { name: `Memory cgroup ${path}`, exact: true });

async function openContainer(page: Page): Promise<void> {
  await page.goto("./#/workbench?preset=container-at-its-limit.teach");
  await expect(page.getByRole("button", { name: "Into" })).toBeEnabled({ timeout: 20_000 });
  await page.keyboard.press("Home");
  await atStart(page);
}

test("builds a cgroup by keyboard, which then reaches its limit", async ({ page }) => {
  await openContainer(page);
  await expect(group(page, "shop")).toContainText("0 of 1,024 pages");
  await page.keyboard.press("x");
  await dialog(page).getByText("Inside the workload").press("Enter");
  await dialog(page).getByRole("button", { name: "Add a memory cgroup" }).press("Enter");
  const name = dialog(page).getByRole("textbox", { name: "Name", exact: true }).last();
  await expect(name).toBeFocused();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("files");
  await page.keyboard.press("Tab");
  await expect(dialog(page).getByRole("combobox", { name: "Inside" })).toBeFocused();
  await page.keyboard.type("shop");
  await page.keyboard.press("Tab");
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("1 MB");
  await dialog(page).getByRole("button", { name: "reader", exact: true }).press("Enter");
  const member = dialog(page).getByRole("combobox", { name: "Memory cgroup" });
  await member.focus();
  await page.keyboard.type("files");
  await expect(member).toHaveValue("files");

  // The engine refuses the unit at the field, and the experiment stays open.
  await dialog(page).getByRole("button", { name: "Open from the start" }).press("Enter");
  const max = dialog(page).getByRole("textbox", { name: "memory.max" }).last();
  await expect(max).toHaveAccessibleDescription(/'1 MB' is not a limit/);
  await max.focus();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("1 MiB");
  await dialog(page).getByRole("button", { name: "Open from the start" }).press("Enter");
  await expect(dialog(page)).toBeHidden();
  await atStart(page);
  await goToStep(page, 100_000);
  await expect(group(page, "shop/files")).toContainText(/of 256 pages/);
  await expect(group(page, "shop/files")).toContainText("reader/1");
  await expect(group(page, "shop/files")).toContainText(/max\s[1-9]/);

  await page.getByRole("tab", { name: "Explain" }).click();
  await explain(page).getByRole("button", { name: "Cgroup limit" }).press("Enter");
  await isFound(explain(page).locator(".look"));
  await expect(explain(page)).toContainText("hit memory.max of its cgroup");
  await axeFindsNothing(page, { part: ".groups" });
  await axeFindsNothing(page, { part: ".explain" });
});

test("explains why the OOM killer of a cgroup ended a process", async ({ page }) => {
  await openContainer(page);
  await goToMoment(page, "containerKills");
  await page.getByRole("tab", { name: "Explain" }).click();
  await explain(page).getByRole("button", { name: "Cgroup limit" }).click();
  await isFound(explain(page).locator(".look"));
  await expect(explain(page)).toContainText(/the OOM killer of the cgroup killed service\/1/);
  await expect(explain(page)).toContainText(
    /[\d,]+ anonymous pages: the machine has no swap, so they cannot be reclaimed/,
  );
  await expect(group(page, "shop")).toContainText(/oom_kill\s1/);

  // The same numbers stand in the files of the cgroup.
  await page.getByRole("button", { name: "/proc" }).click();
  await page.getByRole("combobox", { name: "Files of" }).selectOption("memory cgroup shop");
  const files = page.getByRole("dialog", { name: "The files of /proc" });
  await files.getByRole("button", { name: "memory.events", exact: true }).click();
  await expect(
    page.getByRole("region", { name: "/sys/fs/cgroup/shop/memory.events" }),
  ).toContainText("oom_kill 1");
});

test("changes the limit of a cgroup during the run", async ({ page }) => {
  await openContainer(page);
  await goToStep(page, 20_000);
  await page.keyboard.press("d");
  await page.getByRole("textbox", { name: "Value to write" }).fill("2 MiB");
  await page.getByRole("button", { name: "Write", exact: true }).click();
  await expect(page.getByRole("button", { name: /^Fork at .*shop/ })).toBeVisible();
  await goToStep(page, 60_000);
  await expect(group(page, "shop")).toContainText(/of 512 pages/);
});

test("says which memory of a pasted memory.stat could be reclaimed", async ({ page }) => {
  await openFirst(page);
  await page.getByRole("button", { name: "Your machine" }).click();
  const rows = ["anon 52428800", "file 52428800", "inactive_file 31457280", "active_file 20971520"];
  const text = [
    "memory.current:104857600",
    "memory.max:104857600",
    "memory.events:max 12",
    "memory.events:oom_kill 1",
    ...rows.map((row) => `memory.stat:${row}`),
  ];
  await page.getByRole("textbox", { name: "Contents of /proc/zoneinfo" }).fill(text.join("\n"));
  await page.getByRole("button", { name: "Read it" }).click();
  const dialogOfMachine = page.getByRole("dialog", { name: "Your machine" });
  await expect(dialogOfMachine).toContainText(/uses 102,400 kB of its limit of 102,400 kB/);
  await expect(dialogOfMachine).toContainText(/51,200 kB could be reclaimed at once/);
  await expect(dialogOfMachine).toContainText(/active_file, 20,480 kB/);
  await axeFindsNothing(page, { part: "dialog" });
});
