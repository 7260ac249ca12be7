/** The hatching of reserved pages, defined once per page and used by every zone. */
export function ReservePattern() {
  return (
    <svg width="0" height="0" className="defs" aria-hidden="true">
      <defs>
        <pattern
          id="keep"
          width="5"
          height="5"
          patternUnits="userSpaceOnUse"
          patternTransform="rotate(45)"
        >
          <line y2="5" stroke="var(--ink-3)" />
        </pattern>
      </defs>
    </svg>
  );
}
