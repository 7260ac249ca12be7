import { type Knob, valueName } from "../../lessons/schema";

/** Values of a knob side by side. */
export function KnobChoice({
  knob,
  values,
  chosen,
  choose,
}: {
  knob: Knob;
  values: readonly string[];
  chosen: string | null;
  choose: (value: string) => void;
}) {
  return (
    <fieldset className="seg">
      <legend className="sr">{isTunable(knob) ? knob.turns : knob.word}</legend>
      {values.map((value) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === chosen}
          onClick={() => choose(value)}
        >
          {valueName(knob, value)}
        </button>
      ))}
    </fieldset>
  );
}

/** The name of a knob, next to its values; a tunable is shown with its sysctl name. */
export function KnobName({ knob }: { knob: Knob }) {
  if (isTunable(knob)) return <code>{knob.turns}</code>;
  return <span className="knob-name">{knob.word}</span>;
}

/** Tunables have a dot in their names; the kernel, patches and the experiment have none. */
const isTunable = ({ turns }: Knob) => turns.includes(".");
