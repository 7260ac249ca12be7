// Builds the npm package: a frame with the machine, packed into one ES module. It is a separate
// program because it imports packages, which builds.mjs must not do.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { build } from "vite";
import { cacheDir, localBin, packageDir, pkg, root, runMain } from "./project.mjs";
import { glossary } from "./vite/glossary.mjs";
import { licences } from "./vite/licences.mjs";
import { engineFromHost, oneFile } from "./vite/one-file.mjs";

const source = join(root, "web", "src", "embed");
const VIRTUAL = "virtual:embedded-frame";
/** The sources whose declarations the package contains. */
const DECLARED = ["index", "api", "host", "messages", "anywidget"];
/** One file for each part, in the JavaScript version of the page's build. */
const LIBRARY = { target: "es2022", reportCompressedSize: false, write: false };

/** @param {string} dist */
function writeDeclarations(dist) {
  execFileSync(localBin("tsc"), ["-p", join(packageDir, "tsconfig.json")], { stdio: "inherit" });
  for (const name of DECLARED) {
    cpSync(join(cacheDir, "embed-types", "embed", `${name}.d.ts`), join(dist, `${name}.d.ts`));
  }
}

/** The script and the style that run in the frame. */
async function buildFrame() {
  const licence = licences();
  const plugins = () => [oneFile(), engineFromHost(), licence.collect()];
  const output = await build({
    ...common(),
    plugins: [...plugins(), react(), glossary(), licence.write()],
    worker: { format: "es", plugins, rolldownOptions: { output: { codeSplitting: false } } },
    build: {
      ...LIBRARY,
      cssCodeSplit: false,
      lib: { entry: join(source, "frame.tsx"), formats: ["es"], fileName: "frame" },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  });
  const files = filesOf(output);
  const script = textOf(files, ".js");
  const style = textOf(files, ".css");
  const engine = readFileSync(join(pkg, "mmscope_bg.wasm"));
  const packed = { engine: pack(engine), script: pack(script), style: pack(style) };
  return { packed, licences: files.filter(({ fileName }) => fileName.startsWith("LICENSES")) };
}

/** @param {object} packed the parts of the frame */
async function buildModule(packed) {
  const output = await build({
    ...common(),
    plugins: [
      {
        name: "mmscope:embedded-frame",
        resolveId: (id) => (id === VIRTUAL ? `\0${VIRTUAL}` : undefined),
        load: (id) =>
          id === `\0${VIRTUAL}` ? `export default ${JSON.stringify(packed)};` : undefined,
      },
    ],
    build: {
      ...LIBRARY,
      lib: { entry: join(source, "index.ts"), formats: ["es"], fileName: "mmscope" },
    },
  });
  return textOf(filesOf(output), ".js");
}

/** @returns {import("vite").InlineConfig} */
const common = () => ({
  root: join(root, "web"),
  configFile: false,
  publicDir: false,
  logLevel: "warn",
  define: { "process.env.NODE_ENV": '"production"' },
});

/**
 * @typedef {{ fileName: string, source: string | Uint8Array }} Built
 * @param {Awaited<ReturnType<typeof build>>} output
 * @returns {Built[]}
 */
function filesOf(output) {
  const [first] = [output].flat();
  if (!first || !("output" in first)) throw new Error("the build wrote no files");
  return first.output.map((file) => ({
    fileName: file.fileName,
    source: file.type === "chunk" ? file.code : file.source,
  }));
}

/**
 * The only file of a kind.
 * @param {Built[]} files
 * @param {string} ending
 */
function textOf(files, ending) {
  const found = files.filter(({ fileName }) => fileName.endsWith(ending));
  if (found.length !== 1 || !found[0]) {
    throw new Error(`the build wrote ${found.length} files that end in ${ending}, not one`);
  }
  return String(found[0].source);
}

/** @param {string | Buffer} data */
const pack = (data) => gzipSync(data, { level: 9 }).toString("base64");

await runMain(async () => {
  const dist = join(packageDir, "dist");
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist, { recursive: true });
  const frame = await buildFrame();
  for (const { fileName, source } of frame.licences) writeFileSync(join(dist, fileName), source);
  writeFileSync(join(dist, "mmscope.js"), await buildModule(frame.packed));
  writeDeclarations(dist);
  cpSync(join(root, "LICENSE"), join(dist, "LICENSE"));
  return 0;
});
