import { flushSync } from "react-dom";

/**
 * Measures what was just built in a task of its own, at the latest in the frame that draws it. The
 * first look at a new page lays all of it out; with building it or with drawing it in one task, that
 * is the longest one a visit has. Returns what calls it off.
 */
export function beforeDrawing(measure: () => void): () => void {
  // A timer would come after the frame.
  const { port1, port2 } = new MessageChannel();
  const callOff = () => {
    cancelAnimationFrame(frame);
    port1.close();
  };
  const once = () => {
    callOff();
    flushSync(measure);
  };
  const frame = requestAnimationFrame(once);
  port1.onmessage = once;
  port2.postMessage(0);
  return callOff;
}
