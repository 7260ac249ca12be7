import { expect, test } from "vitest";
import { oneFile } from "./one-file.mjs";

/** @type {(code: string, id: string) => { code: string } | undefined} */
const transform = /** @type {any} */ (oneFile().transform);

test("makes each worker a part of the module that starts it", () => {
  const start = (/** @type {string} */ name) =>
    `new Worker(new URL("./${name}.worker.ts", import.meta.url), { type: "module" })`;
  const { code } = transform(`f(${start("a")}); g(\n${start("b")},\n)`, "/x.ts") ?? { code: "" };
  expect(code).toBe(
    'import InlineWorker0 from "./a.worker.ts?worker&inline";' +
      'import InlineWorker1 from "./b.worker.ts?worker&inline";' +
      "f(new InlineWorker0()); g(\nnew InlineWorker1(),\n)",
  );
});

test("accepts options on separate lines", () => {
  const start = `new Worker(new URL("./a.worker.ts", import.meta.url), {
    type: "module",
  })`;
  expect(transform(start, "/x.ts")?.code).toContain("new InlineWorker0()");
});

test("refuses a worker that it cannot include", () => {
  expect(() => transform("new Worker(new URL(name, import.meta.url))", "/x.ts")).toThrow(
    "/x.ts starts a worker in a form",
  );
});

test("leaves modules without workers unchanged", () => {
  expect(transform("export const a = 1;", "/x.ts")).toBeUndefined();
});
