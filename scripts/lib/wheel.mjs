// Builds the Python package: a wheel with the command, and with the widget's module if that was built.

import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { packageDir, Refusal, root, run } from "./project.mjs";

const source = join(root, "python");

/**
 * @param {string} python
 * @param {string} out a folder for the wheel
 * @param {"release" | "dev"} [profile] dev: compiles fast, runs slowly
 * @returns {Promise<string>} the path of the wheel
 */
export async function buildWheel(python, out, profile = "release") {
  copyWidget();
  mkdirSync(out, { recursive: true });
  const settings = `build-args=--profile ${profile}`;
  const args = ["-m", "pip", "wheel", "--no-deps", "--quiet", "-w", out, "-C", settings, source];
  const { code } = await run(python, args, { cwd: root, stdio: ["ignore", 2, 2] });
  const [wheel] = readdirSync(out).filter((name) => /^mmscope-.*\.whl$/.test(name));
  if (code !== 0 || !wheel) throw new Refusal("The wheel was not built: see above.");
  return join(out, wheel);
}

/** Copies the npm package's module into the Python package. */
function copyWidget() {
  const module = join(packageDir, "dist", "mmscope.js");
  const target = join(source, "src", "mmscope", "static");
  rmSync(target, { recursive: true, force: true });
  if (!existsSync(module)) return;
  mkdirSync(target, { recursive: true });
  cpSync(module, join(target, "mmscope.js"));
}
