import { readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import {
  endOf,
  headBytes,
  headOf,
  type ImageHead,
  type Instance,
  roomFor,
  TAIL_BYTES,
} from "./image";
import { presetJson } from "./loaded.test-support";
import type { Engine } from "./pkg/mmscope";

const module = new WebAssembly.Module(readFileSync("web/src/engine/pkg/mmscope_bg.wasm"));

/** An engine in an instance of its own, as in each measuring worker. */
async function start(): Promise<{ engine: Engine; instance: Instance }> {
  vi.resetModules();
  const pkg = await import("./pkg/mmscope");
  const instance = pkg.initSync({ module });
  return { engine: new pkg.Engine(64), instance };
}

function toEnd(engine: Engine): string {
  while (!engine.run(0, 100_000, undefined, undefined).position.ended);
  return engine.hash(0) + engine.report(0);
}

test("a stored run continues in another instance and ends in the same state", async () => {
  const { engine, instance } = await start();
  engine.open(0, presetJson("anon-hog.teach"));
  engine.run(0, 60_000, undefined, undefined);
  const { position } = engine.view(0, undefined);
  expect(position).toMatchObject({ step: 60_000, ended: false });
  const hash = engine.hash(0);
  const image = new Uint8Array(instance.memory.buffer).slice();
  const refs = instance.__wbindgen_externrefs.length;

  // The first instance has run nothing, the second has run something else.
  for (const hasRun of [false, true]) {
    const other = await start();
    if (hasRun) {
      other.engine.open(0, presetJson("stress-highalloc.teach"));
      toEnd(other.engine);
    }
    roomFor(other.instance, { bytes: image.length, refs }).set(image);
    expect(other.engine.hash(0)).toBe(hash);
    expect(other.engine.view(0, undefined).position).toEqual(position);
    expect(toEnd(other.engine)).toBe(toEnd(engine));
  }
});

test("finds no header in an image file that was only partly written", () => {
  const head: ImageHead = {
    experiment: "{}",
    position: { step: 7, time_ns: 70, ended: false },
    hash: "0a",
    refs: 3,
    waited_ms: 5,
    kept_ms: 6,
  };
  const end = endOf(head);
  const long = headBytes(end.slice(-TAIL_BYTES).buffer);
  expect(long).toBe(end.length - TAIL_BYTES);
  expect(headOf(end.slice(0, -TAIL_BYTES).buffer)).toEqual(head);
  for (const cut of [1, 4, TAIL_BYTES, end.length]) {
    const rest = end.slice(0, -cut);
    expect(headBytes(rest.slice(-TAIL_BYTES).buffer)).toBeNull();
  }
});
