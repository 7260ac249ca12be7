import { expect, test } from "vitest";
import { asksForWasm, BAD_INPUT, ENGINE_FAULT, hashInWasm } from "./wasm.mjs";

test.each([
  ["hash x --engine wasm", true],
  ["hash --engine=wasm x --stepped", true],
  ["hash x --engine native", false],
  ["hash wasm --engine native", false],
  ["hash x --engine wasm --help", false],
  ["run x --engine wasm", false],
  ["", false],
])("whether `%s` asks for the WebAssembly engine: %s", (line, expected) => {
  expect(asksForWasm(line.split(" "))).toBe(expected);
});

/**
 * An engine that takes three slices.
 * @param {Partial<Record<string, unknown>>} methods
 * @param {import("./wasm.mjs").Reading} reading
 */
function fake(methods, reading) {
  let runs = 0;
  class Engine {
    open = () => {};
    run = () => {
      runs += 1;
      return { position: { step: runs, time_ns: 10 * runs, ended: runs === 3 }, done: runs === 3 };
    };
    hash = () => "00000000000000ff";
    constructor() {
      Object.assign(this, methods);
    }
  }
  return /** @type {import("./wasm.mjs").Wasm} */ (
    /** @type {unknown} */ ({ Engine, read: () => reading })
  );
}

/**
 * @param {Partial<Record<string, unknown>>} methods
 * @param {import("./wasm.mjs").Reading} reading
 */
function hash(methods, reading = { frames: 0 }) {
  const printed = { out: "", err: "" };
  const code = hashInWasm(
    fake(methods, reading),
    { engine: "wasm", experiment: "{}", until_step: 3, until_ns: null, stepped: false },
    {
      out: (text) => {
        printed.out += text;
      },
      err: (text) => {
        printed.err += text;
      },
    },
  );
  return { code, ...printed };
}

test("prints only the hash on stdout and the position on stderr", () => {
  expect(hash({})).toEqual({ code: 0, out: "00000000000000ff\n", err: "step 3, 30 ns, ended\n" });
});

test("a refusal and a trap have their own exit codes and print no hash", () => {
  const refused = hash({}, { faults: [{ path: "machine.nodes", reason: "none" }] });
  expect(refused).toEqual({ code: BAD_INPUT, out: "", err: "mmscope: machine.nodes: none\n" });
  const trapped = hash({
    run: () => {
      throw "unreachable";
    },
  });
  expect(trapped).toMatchObject({ code: ENGINE_FAULT, out: "" });
  expect(trapped.err).toContain("unreachable");
});
