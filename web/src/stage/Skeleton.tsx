import { useRoom } from "./room";
import { SKELETON } from "./words";

/** The layout of the machine in grey, while the engine starts. */
export function Skeleton() {
  const { main, machine, arrangement, style } = useRoom(2, 3, {
    outline_px: "first visit",
    hasTimeline: true,
  });
  return (
    <main ref={main} className="stage skeleton" aria-label={SKELETON.machine} aria-busy="true">
      <div ref={machine} className="machine" data-abreast={arrangement.abreast} style={style}>
        {[0, 1].map((node) => (
          <div key={node} className="node">
            <div className="node-top">
              <header>
                <h2>{SKELETON.node(node)}</h2>
              </header>
            </div>
            <div className="zones">
              <div className="sk" />
              <div className="sk" />
              <div className="sk" />
            </div>
            <div className="map sk" />
          </div>
        ))}
      </div>
      <p className="sr" role="status">
        {SKELETON.engineIsStarting}
      </p>
    </main>
  );
}
