import { expect, test } from "vitest";
import { dependenciesOf, findingsIn } from "./borders.mjs";

/**
 * @param {string} path
 * @param {string} text
 */
const errors = (path, text) =>
  findingsIn(path, () => text)
    .filter(({ isWarning }) => !isWarning)
    .map(({ line, says }) => `${line}: ${says}`);

/**
 * @param {string} path
 * @param {string} text
 */
const warnings = (path, text) =>
  findingsIn(path, () => text)
    .filter(({ isWarning }) => isWarning)
    .map(({ line, says }) => `${line}: ${says}`);

test.each([
  ["web/src/draw/tank.ts", 'import { memo } from "react";'],
  ["web/src/draw/tank.tsx", 'import { jsx } from "react/jsx-runtime";'],
  ["web/src/draw/tank.ts", 'import { create } from "zustand/vanilla";'],
  ["web/src/draw/tank.ts", 'import { selection } from "../stage/store.ts";'],
  ["web/src/stage/Stage.tsx", 'import init from "../engine/pkg/mmscope.js";'],
  [
    "web/src/stage/Stage.tsx",
    'new Worker(new URL("../engine/engine.worker.ts", import.meta.url));',
  ],
  ["lessons/01-watermarks/lesson.mdx", 'import init from "../../web/src/engine/pkg/mmscope.js";'],
  ["web/src/stage/Stage.tsx", "  console.log(view);"],
  ["web/src/stage/Stage.test.tsx", 'test.only("one", () => {});'],
  ["engine/mm/src/list.rs", "use std::collections::HashMap;"],
  ["engine/mm/src/list.rs", "let started = std::time::Instant::now();"],
  ["engine/mm/src/list.rs", "fn ratio(pages: u64) -> f64 {"],
  ["engine/cli/src/main.rs", "    dbg!(machine);"],
  ["README.md", "Run it in /home/somebody/mmscope."],
  ["web/src/stage/Stage.tsx", "// TODO: the rest"],
  ["package-lock.json", '"resolved": "https://example.org/react.tgz"'],
])("an error in %s: %s", (path, text) => {
  expect(errors(path, text)).toHaveLength(1);
});

test.each([
  ["web/src/draw/tank.ts", 'import { scaleLinear } from "d3-scale";'],
  ["web/src/draw/tank.test.tsx", 'import { render } from "@testing-library/react";'],
  ["web/src/stage/Stage.tsx", 'import { openEngine } from "../engine/client.ts";'],
  ["web/src/engine/client.ts", 'new Worker(new URL("./engine.worker.ts", import.meta.url));'],
  [
    "engine/mm/src/list.rs",
    "// A HashMap would have no order, f64 no certainty, std::time no replay.",
  ],
  ["engine/cli/src/main.rs", "use std::time::Instant;"],
  ["web/src/share/link.ts", 'const path = "framework/work/link";'],
  ["web/src/stage/picture.png", "TODO"],
])("no error in %s: %s", (path, text) => {
  expect(errors(path, text)).toEqual([]);
});

test("a finding names its line", () => {
  expect(errors("engine/mm/src/list.rs", "\n\ndbg!(1);\n")).toEqual(["3: left over: dbg!"]);
});

test("long files and functions are warned about", () => {
  const long = `fn short() {\n}\n\nfn long() {\n${"    step();\n".repeat(500)}}\n`;
  expect(warnings("engine/mm/src/list.rs", long)).toEqual([
    "506: 506 lines ask for a second look",
    "4: a function of 502 lines; 70 fit a screen",
  ]);
  expect(warnings("web/src/a.ts", `export function a() {\n${"  b();\n".repeat(68)}}\n`)).toEqual(
    [],
  );
  expect(
    warnings("web/src/a.ts", `export function a() {\n${"  b();\n".repeat(69)}}\n`),
  ).toHaveLength(1);
});

test("mm's dependencies are counted on the fingers", () => {
  const toml = [
    "[package]",
    'name = "mm"',
    "[dependencies]",
    "serde = { workspace = true }",
    'rand = "0.10"',
    "tsify.workspace = true",
    "[dependencies.hashbrown]",
    'version = "0.16"',
    "[dev-dependencies]",
    'proptest = "1"',
    "[lints]",
    "workspace = true",
  ].join("\n");
  expect(
    dependenciesOf("mm", "Cargo.toml", toml).map(({ line, says }) => `${line}: ${says}`),
  ).toEqual(["5: mm may not depend on rand", "7: mm may not depend on hashbrown"]);
});

test("what is known before a machine runs knows nothing of machines", () => {
  const toml = "[dependencies]\nfacts = { workspace = true }\nmm = { workspace = true }";
  const says = (/** @type {string} */ crate) =>
    dependenciesOf(crate, "Cargo.toml", toml).map(({ says }) => says);
  expect(says("picture")).toEqual([]);
  expect(says("mm")).toEqual(["mm may not depend on mm"]);
  expect(says("wasm-open")).toEqual(["wasm-open may not depend on facts"]);
  expect(says("facts")).toEqual(["facts may not depend on facts", "facts may not depend on mm"]);
});
