// The parts of a frame, which the build packs into this module: its script, its style and the engine.

import packed from "virtual:embedded-frame";
import { once } from "../engine/once";

/** The unpacked parts. */
export interface Parts {
  readonly engineUrl: string;
  readonly scriptUrl: string;
  readonly style: string;
}

/** Unpacks the parts once for all machines of a page. */
export const parts = once(async (): Promise<Parts> => {
  const [engine, script, style] = await Promise.all([
    unpacked(packed.engine),
    unpacked(packed.script),
    unpacked(packed.style),
  ]);
  return {
    engineUrl: urlOf(engine, "application/wasm"),
    scriptUrl: urlOf(script, "text/javascript"),
    style: new TextDecoder().decode(style),
  };
});

const urlOf = (bytes: ArrayBuffer, type: string): string =>
  URL.createObjectURL(new Blob([bytes], { type }));

function unpacked(base64: string): Promise<ArrayBuffer> {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}
