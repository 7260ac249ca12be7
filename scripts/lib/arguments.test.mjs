import { expect, test } from "vitest";
import { readOptions, readPort } from "./arguments.mjs";

test("reads options in both spellings and fills in defaults", () => {
  const defaults = { port: "4173", host: "127.0.0.1" };
  expect(readOptions([], defaults)).toEqual(defaults);
  expect(readOptions(["--port", "80"], defaults)).toEqual({ ...defaults, port: "80" });
  expect(readOptions(["--host=::1", "--port=80"], defaults)).toEqual({ host: "::1", port: "80" });
});

test("names an unknown or incomplete option", () => {
  expect(() => readOptions(["--prot", "80"], { port: "1" })).toThrow("--prot");
  expect(() => readOptions(["--port"], { port: "1" })).toThrow("--port");
  expect(() => readOptions(["80"], { port: "1" })).toThrow("Known: --port PORT");
});

test("accepts only valid ports", () => {
  expect(readPort("4173")).toBe(4173);
  for (const text of ["x", "-1", "65536", "1.5", undefined]) expect(() => readPort(text)).toThrow();
});
