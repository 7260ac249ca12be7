// Our own icons: 16 px, strokes of 1.5 px in ink.

const PATHS = {
  start: "M3.5 3v10M13 3.5 6.5 8l6.5 4.5z",
  end: "M12.5 3v10M3 3.5 9.5 8 3 12.5z",
  back: "M11.5 3.5 5 8l6.5 4.5z",
  "back-call": "M14 10a6 6 0 0 0-11-2.5M2.5 3v5h5M6 13h5",
  play: "M4.5 3 13 8l-8.5 5z",
  pause: "M5 3.5v9M11 3.5v9",
  into: "M8 2v8M4.5 7 8 10.5 11.5 7M8 13.4v.2",
  over: "M2 10a6 6 0 0 1 11-2.5M13.5 3v5h-5M8 12.9v.2",
  out: "M8 10.5v-8M4.5 6 8 2.5 11.5 6M8 13.4v.2",
  share: "M8 9.5V2M5 4.5 8 1.8l3 2.7M3.5 7.5v6h9v-6",
  moon: "M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5z",
  sun: "M11 8a3 3 0 1 1-6 0 3 3 0 0 1 6 0zM8 1.5V3M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M12.6 3.4l-1 1M4.4 11.6l-1 1",
  down: "m4.5 6.5 3.5 3.5 3.5-3.5",
  check: "m3 8.5 3.2 3.2L13 4.8",
  menu: "M2.5 4h11M2.5 8h11M2.5 12h11",
  cross: "m4 4 8 8M12 4l-8 8",
  projector: "M2 3h12v8H2zM8 11v2.5M5 13.5h6",
  file: "M3.5 2h6l3 3v9h-9zM6 8h4M6 11h4",
} as const;

/** An icon's name. */
export type IconName = keyof typeof PATHS;

/** A decorative icon; the control around it has the name. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="ic" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path
        d={PATHS[name]}
        fill={name === "play" ? "currentColor" : "none"}
        stroke="currentColor"
        strokeWidth={name === "pause" ? 2.5 : 1.5}
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}

/** The logo: a tank at its low watermark. */
export function Logo() {
  return (
    <svg className="logo" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
      <path d="M3 2v15.5h14V2" fill="none" stroke="var(--ink-1)" strokeWidth="2" />
      <rect x="4" y="10" width="12" height="6.5" fill="var(--free)" />
      <path d="M4 10h12" stroke="var(--ink-1)" strokeWidth="2" />
      <path d="M12 6.2h8" stroke="var(--ink-1)" strokeWidth="1.5" strokeDasharray="2.4 1.6" />
    </svg>
  );
}
