// Builds the engine for the browser, its comparison with real kernels, the page, and the engine's command
// line.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { filesBelow, makeUnlessFresh } from "./freshness.mjs";
import {
  cargoTargetDir,
  dist,
  engineDir,
  localBin,
  packageDir,
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
/** The crates of the engine on every platform. */
const ENGINE = [
  "capture",
  "derive",
  "explain",
  "facts",
  "mm",
  "picture",
  "reports",
  "shrink",
  "trace",
];

/**
 * Compiles the engine to web/src/engine/pkg/.
 * @param {"release" | "dev"} variant the dev engine builds in seconds but runs slower
 */
export function buildEngine(variant) {
  const product = {
    name: "engine",
    variant,
    accepts: ["release"],
    inputs: [
      ...cargoFiles,
      ...[...ENGINE, "wasm", "describe", "xtask"].map((name) => join(engineDir, name)),
      lock,
    ],
    outputs: [pkg],
  };
  const profile = variant === "release" ? "web" : "wasm-dev";
  return makeUnlessFresh(product, async () => {
    // The parts are compiled in parallel, because each uses one processor.
    const module = cargo(
      ...["build", "--target", "wasm32-unknown-unknown"],
      ...["--package", "mmscope-wasm", "--profile", profile],
    );
    const xtask = cargo("build", "--package", "xtask");
    const texts = xtask.then(() => cargo("run", "--package", "describe", "--profile", "describe"));
    const bound = Promise.all([module, xtask]).then((built) =>
      built.every(Boolean) ? cargo("run", "--package", "xtask", "--", profile) : false,
    );
    const made = await Promise.all([texts, bound]);
    if (!made.every(Boolean)) throw new Refusal("The engine did not build: see above.");
  });
}

/**
 * Runs cargo on the engine; its messages go to the terminal.
 * @param {string} command
 * @param {...string} args
 * @returns {Promise<boolean>} whether it succeeded
 */
async function cargo(command, ...args) {
  const { code } = await run("cargo", [command, "--quiet", ...args], { cwd: engineDir });
  return code === 0;
}

/** Compares the engine with real kernels and published tables, in about a minute. */
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
    if (!(await cargo("build", "--package", "mmscope-cli")))
      throw new Refusal("The engine's command line did not build: see above.");
    // The runs print their names on stderr, which matters only if a run fails.
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
 * Builds static files for any host and any sub-path. The engine must be built. The files include the
 * comparison with real kernels if it exists.
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

/**
 * Builds the npm package, which embeds a machine in other pages. The engine must be built first.
 */
export function buildEmbed() {
  const names = ["package.json", "tsconfig.json", "scripts/lib/vite", "scripts/lib/embed.mjs"];
  const product = {
    name: "embed",
    variant: "production",
    inputs: [
      ...[join(root, "web"), join(root, "docs", "glossary.md"), lessons, lock, packageDir],
      ...names.map((name) => join(root, name)),
    ],
    outputs: [join(packageDir, "dist")],
  };
  return makeUnlessFresh(product, async () => {
    const { code } = await run(process.execPath, [join(root, "scripts", "lib", "embed.mjs")]);
    if (code !== 0) throw new Refusal("The npm package did not build: see above.");
  });
}

/** The engine's command line. @returns {string} */
export const cliPath = () => join(cargoTargetDir(), "release", "mmscope");

/**
 * Builds the command line; everything it prints goes to stderr.
 * @param {() => void} demand called before a build, to report missing tools
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
    console.error("Building the engine's command line (the first time takes a few minutes) ...");
    const args = ["build", "--quiet", "--release", "--package", "mmscope-cli"];
    const { code } = await run("cargo", args, { cwd: engineDir, stdio: ["ignore", 2, 2] });
    if (code !== 0) throw new Refusal("The engine's command line did not build: see above.");
  });
}

/** Measures a visitor's downloads. */
export function distSizes() {
  const manifest = JSON.parse(readFileSync(join(dist, ".vite", "manifest.json"), "utf8"));
  return sizesOf(filesBelow(dist).map(download), manifest);
}
