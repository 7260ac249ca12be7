import { type Knob, valueName } from "./schema";

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
      <legend className="sr">{knob.turns}</legend>
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

/** What a knob is called beside its values: a tunable by its name, as it is typed. */
export function KnobName({ knob: { turns, word } }: { knob: Knob }) {
  return turns.includes(".") ? <code>{turns}</code> : <span className="knob-name">{word}</span>;
}
