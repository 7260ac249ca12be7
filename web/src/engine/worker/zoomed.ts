// The details in a frame of nodes whose maps are zoomed, and the buffers that a frame transfers.

import type { Engine } from "../pkg/mmscope";
import type { Frame, Zoomed, ZoomRequest } from "../protocol";

/** Reads some page frames of the machine in a slot. */
export function zoomedOf(engine: Engine, slot: number, look: ZoomRequest): Zoomed {
  const { node, level, first_pfn, count, stride, span } = look;
  return {
    ...look,
    words: engine.page_words(slot, first_pfn, count, stride),
    shares: span === null ? null : engine.cells(slot, node, span),
    runs: level === "zone" ? engine.free_runs(slot, node, stride) : null,
  };
}

/** The buffers of a frame, which are transferred to the page instead of copied. */
export function buffersOf(frame: Frame): ArrayBuffer[] {
  const buffers = frame.maps.flatMap((map) =>
    map.kind === "frames" ? [map.states.buffer, map.orders.buffer] : [map.shares.buffer],
  );
  buffers.push(frame.lru.buffer, frame.generations.buffer);
  for (const { words, shares, runs } of frame.zoomed) {
    buffers.push(words.buffer);
    if (shares) buffers.push(shares.buffer);
    if (runs) buffers.push(runs.buffer);
  }
  if (frame.timeline) buffers.push(frame.timeline.buffer);
  return buffers.filter((buffer) => buffer instanceof ArrayBuffer);
}
