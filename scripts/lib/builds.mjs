// What is built: the engine for the browser, its comparison with real kernels, the page, and the
// engine's command line.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { filesBelow, makeUnlessFresh } from "./freshness.mjs";
import {
  cargoTargetDir,
  dist,
  engineDir,
  localBin,
  pkg,
  Refusal,
  root,
  run,
  truthFile,
} from "./project.mjs";
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
      ...[...ENGINE, "wasm", "xtask"].map((name) => join(engineDir, name)),
      lock,
    ],
    outputs: [pkg],
  };
  return makeUnlessFresh(product, async () => {
    const dev = variant === "dev" ? ["--dev"] : [];
    // The module and the tool that finishes it are compiled side by side: each keeps one processor
    // busy. What fails here fails again below, where it is reported.
    const module = run("cargo", ["build", "--quiet", ...moduleArgs(variant)], { cwd: engineDir });
    await run("cargo", ["build", "--quiet", "--package", "xtask"], { cwd: engineDir });
    await module;
    const args = ["run", "--quiet", "--package", "xtask", "--", "wasm", ...dev];
    const { code } = await run("cargo", args, { cwd: engineDir });
    if (code !== 0) throw new Refusal("The engine did not build: see above.");
  });
}

/**
 * What cargo is asked for, here and by xtask.
 * @param {"release" | "dev"} variant
 */
const moduleArgs = (variant) => [
  ...["--target", "wasm32-unknown-unknown", "--package", "mmscope-wasm"],
  ...["--profile", variant === "release" ? "web" : "wasm-dev"],
];

/** Compares the engine with real kernels and published tables: takes about a minute. */
export function buildTruth() {
  const product = {
    name: "truth",
    variant: "all",
    inputs: [
      ...cargoFiles,
      ...[...ENGINE, "cli"].map((name) => join(engineDir, name)),
      join(lessons, "figures"),
    ],
    outputs: [truthFile],
  };
  return makeUnlessFresh(product, async () => {
    // Named beside xtask it is compiled with the same features: with those of the engine's build.
    const packages = ["--package", "xtask", "--package", "mmscope-cli"];
    const built = await run("cargo", ["build", "--quiet", ...packages], { cwd: engineDir });
    if (built.code !== 0) throw new Refusal("The engine's command line did not build: see above.");
    // The runs name themselves on stderr: of interest only where one fails.
    const program = join(cargoTargetDir(), "debug", "mmscope");
    const { code, out, err } = await run(program, ["truth"], { silent: true });
    if (code !== 0) {
      throw new Refusal(`The engine could not be compared with real kernels:\n${err}`);
    }
    mkdirSync(dirname(truthFile), { recursive: true });
    writeFileSync(truthFile, JSON.stringify(JSON.parse(out)));
  });
}

/**
 * Builds static files for any host and any sub-path. The engine must be built; the comparison with
 * real kernels is in them where it has been made.
 */
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
    inputs: [
      ...[join(root, "web"), lessons, lock, truthFile],
      ...settings.map((name) => join(root, name)),
    ],
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
