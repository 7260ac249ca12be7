import type { Stretch } from "../draw/reclaim";

/** The first segment, or an empty one. */
export const whole = ([first]: Stretch[]): Stretch => first ?? { from: 0, to: 0 };

/** A segment and how it is drawn. */
export interface BarPart extends Stretch {
  readonly look: string;
}

/** A bar of amounts end to end, with marks across it. */
export function Bar({
  label,
  parts,
  marks = [],
}: {
  label: string;
  parts: readonly BarPart[];
  marks?: readonly { readonly at: number; readonly look: string }[];
}) {
  return (
    <div className="hbar" role="img" aria-label={label}>
      {parts.map(({ from, to, look }) => (
        <i
          key={look}
          className={look}
          style={{ insetInlineStart: `${from * 100}%`, inlineSize: `${(to - from) * 100}%` }}
        />
      ))}
      {marks.map(({ at, look }) => (
        <i key={look} className={`mark ${look}`} style={{ insetInlineStart: `${at * 100}%` }} />
      ))}
    </div>
  );
}
