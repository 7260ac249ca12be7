import { flushSync } from "react-dom";

/**
 * Measures new elements in a separate task, at the latest in the frame that draws them. The first
 * measurement lays out the whole page. Together with building or drawing the page it would make the
 * longest task of a visit. Returns a function that cancels the measurement.
 */
export function beforeDrawing(measure: () => void): () => void {
  // A timer would run after the frame.
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
