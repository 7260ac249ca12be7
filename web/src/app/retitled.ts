// The title of a changed experiment: a title that mmscope gave says that parts were changed.

/** Appended to a title whose experiment is no longer the one it names. */
const CHANGED = " (changed)";
/** The parts that a title describes. */
const PARTS = ["machine", "kernel", "workload"] as const;
/** How the title of an imported machine begins. */
const IMPORTED = "Your machine: "; // not a text: links contain such titles

type Experiment = Readonly<Record<string, unknown>>;

/**
 * An experiment with a correct title. A title written by the user stays, even if the user changed
 * it together with the parts.
 */
export function retitled(
  before: Experiment,
  after: Experiment,
  presets: Readonly<Record<string, string>>,
): Experiment {
  const { title } = after;
  const isSame = PARTS.every(
    (part) => JSON.stringify(before[part]) === JSON.stringify(after[part]),
  );
  if (isSame || title !== before.title || typeof title !== "string") return after;
  const isOurs =
    (title.startsWith(IMPORTED) && !title.endsWith(CHANGED)) ||
    Object.values(presets).some((preset) => JSON.parse(preset).title === title);
  return isOurs ? { ...after, title: `${title}${CHANGED}` } : after;
}
