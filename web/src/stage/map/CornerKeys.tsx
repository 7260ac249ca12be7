import "./corners.css";
import { GLYPHS } from "../../draw/map/pageword";

const SHAPES: Record<string, string> = {
  used: "M4 1a3 3 0 1 1-.01 0z",
  lock: "M1 1h6v6h-6z",
  out: "M1 1h6l-3 6z",
  unmovable: "M1 1h6l-6 6z",
  reclaimable: "M1.7 1.7h4l-4 4z",
  reserve: "M1 1h6v6h-6z",
};

function Corner({ shape }: { shape: string }) {
  return (
    <svg className={shape === "reclaimable" ? "corner open" : "corner"} aria-hidden="true">
      <path d={SHAPES[shape]} />
    </svg>
  );
}

/** A legend of the corner marks of a page's tile. */
export function FlagKey() {
  return (
    <span className="corners">
      {GLYPHS.toReversed().map(([flag, shape, words]) => (
        <span key={flag}>
          <Corner shape={shape} />
          {words}
        </span>
      ))}
    </span>
  );
}

/** A legend of the corner marks of a pageblock. */
export function TypeKey() {
  return (
    <span className="corners">
      {["unmovable", "reclaimable", "reserve"].map((type) => (
        <span key={type}>
          <Corner shape={type} />
          {type}
        </span>
      ))}
    </span>
  );
}
