// The setup steps that all commands share.

import { ensureBrowser } from "./browser.mjs";
import { ensurePackages } from "./packages.mjs";
import { demandPrerequisites, ensureToolchain } from "./prerequisites.mjs";

/** The number of steps of `setUp`. */
export const SET_UP_STEPS = 3;

/**
 * Installs missing packages and tools.
 * @param {import("./project.mjs").Steps} steps
 * @param {{ forChecks?: boolean }} [options]
 */
export async function setUp(steps, { forChecks = false } = {}) {
  await steps.step("Look for Node, Rust and a C compiler", () => {
    demandPrerequisites();
    return "found";
  });
  await steps.step("npm packages", ensurePackages);
  await steps.step("Rust's WebAssembly target", () => ensureToolchain({ forChecks }));
}

/**
 * Finds or installs a browser and passes its path to the tests.
 * @param {import("./project.mjs").Steps} steps
 */
export async function setUpBrowser(steps) {
  await steps.step("A browser", async () => {
    const path = await ensureBrowser();
    process.env.MMSCOPE_CHROMIUM = path;
    return path;
  });
}
