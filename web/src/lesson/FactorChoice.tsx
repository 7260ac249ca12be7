import { TUNABLE } from "./schema";

/** Values of the tunable side by side. */
export function FactorChoice({
  factors,
  chosen,
  choose,
}: {
  factors: readonly string[];
  chosen: string | null;
  choose: (factor: string) => void;
}) {
  return (
    <fieldset className="seg">
      <legend className="sr">{TUNABLE}</legend>
      {factors.map((factor) => (
        <button
          key={factor}
          type="button"
          aria-pressed={factor === chosen}
          onClick={() => choose(factor)}
        >
          {factor}
        </button>
      ))}
    </fieldset>
  );
}
