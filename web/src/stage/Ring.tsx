const RING_PX = 12;

/** The remaining part of a wait. */
export function Ring({ left }: { left: number }) {
  const radius = RING_PX / 2 - 1.5;
  const length = 2 * Math.PI * radius;
  return (
    <svg width={RING_PX} height={RING_PX} aria-hidden="true">
      <circle cx="6" cy="6" r={radius} className="ring-whole" />
      <circle
        cx="6"
        cy="6"
        r={radius}
        className="ring-left"
        strokeDasharray={`${length * left} ${length}`}
        transform="rotate(-90 6 6)"
      />
    </svg>
  );
}
