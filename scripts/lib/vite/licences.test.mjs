import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { cratesIn, licenceText, packageOf, shipped } from "./licences.mjs";

/** @type {string} */
let folder;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mmscope-licences-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const put = (/** @type {string} */ file, text = file) => writeFileSync(join(folder, file), text);

describe("one package", () => {
  test("uses the shorter licence text if the package offers a choice", () => {
    put("LICENSE-APACHE");
    put("LICENSE-MIT");
    expect(shipped("a 1.0.0", "Apache-2.0 OR MIT", folder).text).toBe("LICENSE-MIT");
  });

  test("lists every licence text if all licences apply", () => {
    for (const file of ["LICENSE-APACHE", "LICENSE-MIT", "LICENSE-UNICODE"]) put(file);
    const { text } = shipped("a 1.0.0", "(MIT OR Apache-2.0) AND Unicode-3.0", folder);
    expect(text).toBe("LICENSE-MIT\n\nLICENSE-UNICODE");
  });

  test("omits the licences of parts that it bundles", () => {
    put("LICENSE.md", "its own\n\n# Licenses of bundled dependencies\n\nothers'");
    expect(shipped("a 1.0.0", "MIT", folder).text).toBe("its own");
  });

  test("is refused if its licence is unknown or has no text", () => {
    expect(() => shipped("a 1.0.0", "MIT", folder)).toThrow("has no text of its MIT");
    put("LICENSE");
    expect(() => shipped("a 1.0.0", "GPL-2.0-only", folder)).toThrow("a 1.0.0 has a licence");
    expect(() => shipped("a 1.0.0", undefined, folder)).toThrow("not known here: none");
    expect(() => shipped("a 1.0.0", "MIT AND GPL-2.0-only", folder)).toThrow("not known here");
  });
});

test("a bundled module belongs to the innermost enclosing package", () => {
  for (const name of ["a", "@b/c", "a/node_modules/d"]) {
    const at = join(folder, "node_modules", name);
    mkdirSync(at, { recursive: true });
    writeFileSync(join(at, "package.json"), "{}");
  }
  const of = (/** @type {string} */ id) => packageOf(id.replace("~", folder), folder);
  const inside = (/** @type {string} */ name) => join(folder, "node_modules", name);

  expect(of("~/node_modules/a/lib/index.js")).toBe(inside("a"));
  expect(of("~/node_modules/@b/c/index.js?v=1")).toBe(inside("@b/c"));
  expect(of("~/node_modules/a/node_modules/d/index.js")).toBe(inside("a/node_modules/d"));
  expect(of("\0a/runtime.js")).toBe(inside("a"));
  expect(of("\0elsewhere/runtime.js")).toBeNull();
  expect(of("~/web/src/main.tsx")).toBeNull();
});

test("omits crates that are used only for building and crates of mmscope", () => {
  const crate = (/** @type {string} */ id, kind = "lib", source = "registry") => ({
    id,
    name: id,
    source: source || null,
    targets: [{ kind: [kind] }],
  });
  const packages = [
    crate("door", "cdylib", ""),
    crate("cli", "bin", ""),
    crate("runs"),
    crate("below"),
    crate("derive", "proc-macro"),
    crate("syntax"),
    crate("builder"),
  ];
  const dep = (/** @type {string} */ pkg, kind = null) => ({ pkg, dep_kinds: [{ kind }] });
  const nodes = [
    {
      id: "door",
      deps: [dep("runs"), dep("derive"), dep("builder", /** @type {any} */ ("build"))],
    },
    { id: "cli", deps: [dep("syntax")] },
    { id: "runs", deps: [dep("below")] },
    { id: "derive", deps: [dep("syntax")] },
    ...["below", "syntax", "builder"].map((id) => ({ id, deps: [] })),
  ];
  expect(cratesIn({ packages, resolve: { nodes } }).map(({ name }) => name)).toEqual([
    "runs",
    "below",
  ]);
});

test("writes a licence text once, below the names of all packages that share it", () => {
  const packages = ["b 1", "a 2"].map((name) => ({ name, licence: "MIT", text: "the same" }));
  const text = licenceText("ours", packages);
  expect(text.split("the same")).toHaveLength(2);
  expect(text).toContain("a 2 (MIT)\nb 1 (MIT)\n\nthe same");
  expect(text).toMatch(/^mmscope\n\nours/);
});
