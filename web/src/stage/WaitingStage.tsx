import { useRoom } from "./room";

/** Stands where a small stage will, which begins with the room measured here. */
export function WaitingStage() {
  const { main, machine } = useRoom(2, 3, { isOutline: true });
  return (
    <section ref={main} className="stage small-stage waits">
      <div ref={machine} className="sk" />
    </section>
  );
}
