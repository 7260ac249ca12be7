import type { Refusal } from "../../engine/types";

/** Why an experiment did not open, with the field of each reason. */
export function Refusals({ refusals }: { refusals: readonly Refusal[] }) {
  return (
    <ul>
      {refusals.map(({ path, reason }) => (
        <li key={`${path} ${reason}`}>
          {path && <code>{path}</code>} {reason}
        </li>
      ))}
    </ul>
  );
}
