// The three things that are built: the engine for the browser, the page, the engine's command line.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { filesBelow, makeUnlessFresh } from "./freshness.mjs";
import { cargoTargetDir, dist, engineDir, localBin, pkg, Refusal, root, run } from "./project.mjs";
import { download, sizesOf } from "./sizes.mjs";

const lock = join(root, "package-lock.json");
const cargoFiles = ["Cargo.toml", "Cargo.lock", "rust-toolchain.toml"].map((name) =>
  join(engineDir, name),
);
const lessons = join(root, "lessons");
/** The crates that are the engine, wherever it runs. */
const ENGINE = ["derive", "facts", "mm", "picture", "reports"];

/**
 * Compiles the engine to web/src/engine/pkg/.
 * @param {"release" | "dev"} variant the dev engine builds in seconds and runs slower
 */
export function buildEngine(variant) {
  const product = {
    name: "engine",
    variant,
    accepts: ["release"],
    inputs: [
      ...cargoFiles,
      ...[...ENGINE, "cli", "wasm", "xtask"].map((name) => join(engineDir, name)),
      // Published tables are run when it is built.
      join(lessons, "figures"),
      lock,
    ],
    outputs: [pkg],
  };
  return makeUnlessFresh(product, async () => {
    const args = [
      "run",
      "--package",
      "xtask",
      "--",
      "wasm",
      ...(variant === "dev" ? ["--dev"] : []),
    ];
    const { code } = await run("cargo", args, { cwd: engineDir });
    if (code !== 0) throw new Refusal("The engine did not build: see above.");
  });
}

/** Builds static files for any host and any sub-path. The engine must be built. */
export function buildPage() {
  const settings = [
    "vite.config.ts",
    "package.json",
    "tsconfig.json",
    "scripts/lib/vite",
    "LICENSE",
  ];
  const product = {
    name: "page",
    variant: "production",
    inputs: [join(root, "web"), lessons, lock, ...settings.map((name) => join(root, name))],
    outputs: [dist],
  };
  return makeUnlessFresh(product, async () => {
    const { code } = await run(localBin("vite"), ["build", "--logLevel", "warn"]);
    if (code !== 0) throw new Refusal("The page did not build: see above.");
  });
}

/** The engine's command line. @returns {string} */
export const cliPath = () => join(cargoTargetDir(), "release", "mmscope");

/**
 * Builds the command line; everything it prints goes to stderr.
 * @param {() => void} demand called before a build, to refuse a machine that cannot
 */
export function buildCli(demand) {
  const product = {
    name: "cli",
    variant: "release",
    inputs: [...cargoFiles, ...[...ENGINE, "cli"].map((name) => join(engineDir, name))],
    outputs: [cliPath()],
  };
  return makeUnlessFresh(product, async () => {
    demand();
    console.error("Building the engine's command line ...");
    const args = ["build", "--quiet", "--release", "--package", "mmscope-cli"];
    const { code } = await run("cargo", args, { cwd: engineDir, stdio: ["ignore", 2, 2] });
    if (code !== 0) throw new Refusal("The engine's command line did not build: see above.");
  });
}

/** What a visitor downloads, measured. */
export function distSizes() {
  const manifest = JSON.parse(readFileSync(join(dist, ".vite", "manifest.json"), "utf8"));
  return sizesOf(filesBelow(dist).map(download), manifest);
}
