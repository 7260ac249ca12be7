import { useRoom } from "./room";

/** Height of the machine of the first page. */
const MACHINE_PX = 635;

/**
 * Stands where a small stage will, which begins with the room measured here. How many zones each
 * node has says how high that is.
 */
export function WaitingStage({ zones }: { zones?: string }) {
  const { main, machine } = useRoom(2, 3, { outline_px: MACHINE_PX });
  return (
    <section ref={main} className="stage small-stage waits" data-zones={zones}>
      <div ref={machine} className="sk" />
    </section>
  );
}
