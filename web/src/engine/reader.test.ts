// Texts are read in a separate instance: when it breaks, the running machine is not affected.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { presetJson, TestBench } from "./loaded.test-support";
import { answerReader, Reader, type ReaderPort } from "./reader";

const module = new WebAssembly.Module(
  Uint8Array.from(readFileSync("web/src/engine/pkg/mmscope_bg.wasm")),
);
let instances = 0;

/** Another instance of the module with bindings of its own, as each worker has them. */
async function instance() {
  instances += 1;
  const bindings: typeof import("./pkg/mmscope") = await import(
    /* @vite-ignore */ `./pkg/mmscope.js?instance=${instances}`
  );
  const { memory } = bindings.initSync({ module });
  return { bindings, memory };
}

/** A reader whose workers are instances in this process; `begun` lists those that were started. */
function reading() {
  const begun: { memory: WebAssembly.Memory; isDisposed: boolean }[] = [];
  const start = () => {
    const made = instance().then(({ bindings, memory }) => {
      const seen = { memory, isDisposed: false };
      begun.push(seen);
      port.terminate = () => {
        seen.isDisposed = true;
      };
      return bindings;
    });
    const port: ReaderPort = {
      onmessage: null,
      onerror: null,
      terminate: () => {},
      postMessage: (request) => {
        made.then((bindings) =>
          port.onmessage?.(new MessageEvent("message", { data: answerReader(bindings, request) })),
        );
      },
    };
    return port;
  };
  return { reader: new Reader(start), begun };
}

/** Resolves once a condition holds after the host has worked. */
const once = (bench: TestBench, holds: () => boolean) =>
  expect.poll(() => {
    bench.work();
    return holds();
  });

const TEXT = presetJson("streaming-reader.teach");

test("replaces a reader instance that traps while the machine continues", async () => {
  const { reader, begun } = reading();
  expect((await reader.read(TEXT)).kind).toBe("checked");
  const bench = new TestBench();
  bench.read = reader.read;
  bench.send({ kind: "open", json: TEXT, goal: { kind: "step", step: 5000 } });
  await once(bench, () => bench.events.at(-1)?.kind === "frame").toBe(true);
  const hash = bench.engine.hash(0);

  // Overwrite the whole memory of the instance, so that it traps.
  new Uint8Array(begun[0]?.memory.buffer ?? new ArrayBuffer()).fill(0xff);
  bench.events.length = 0;
  bench.send({ kind: "open", json: presetJson("run-out.teach"), goal: { kind: "start" } });
  await once(bench, () => bench.events[0]?.kind === "unread").toBe(true);
  expect(begun.map(({ isDisposed }) => isDisposed)).toEqual([true]);
  expect(bench.engine.hash(0)).toBe(hash);
  bench.send({ kind: "step", how: "any", followed: null });
  expect(bench.frame.view.position.step).toBe(5001);

  // The next text is read in a new instance.
  bench.send({ kind: "open", json: presetJson("run-out.teach"), goal: { kind: "start" } });
  await once(bench, () => bench.events.some(({ kind }) => kind === "opened")).toBe(true);
  expect(begun.map(({ isDisposed }) => isDisposed)).toEqual([true, false]);
});

test("rejects requests that waited for a broken instance, with the reason", async () => {
  const { reader, begun } = reading();
  await reader.read(TEXT);
  new Uint8Array(begun[0]?.memory.buffer ?? new ArrayBuffer()).fill(0xff);
  const both = await Promise.allSettled([reader.read(TEXT), reader.read(TEXT)]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect((await reader.read(TEXT)).kind).toBe("checked");
});
