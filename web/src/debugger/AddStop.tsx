import { type FormEvent, useState } from "react";
import { useWorkbench, useWorkbenchState } from "../app/context";
import { knownOf } from "../app/store";
import { MARKS, PAGE_PARTS, resolve, type Watch, type WatchContext } from "../app/watch";
import { zoneWords } from "../engine/format";
import { COMPARISONS, type Comparison, type Condition } from "../engine/protocol";

const KINDS = [
  ["function", "a function is called"],
  ["line", "a line is reached"],
  ["event", "an event happens"],
  ["mark", "a zone crosses a watermark"],
  ["counter", "a counter changes"],
  ["free", "a zone's free pages change"],
  ["page", "a page frame changes"],
  ["task", "a task changes state"],
  ["kswapd", "kswapd wakes or sleeps"],
] as const;

type Kind = (typeof KINDS)[number][0];

/** A form that chooses what to stop at and, if that has fields, a condition. */
export function AddStop({ added }: { added: () => void }) {
  const workbench = useWorkbench();
  const [kind, setKind] = useState<Kind>("function");
  const [fault, setFault] = useState("");
  const engine = useWorkbenchState((state) => state.engine);
  const session = useWorkbenchState((state) => state.session);
  const known = knownOf({ engine, session });
  if (!known) return null;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const read = readForm(kind, new FormData(event.currentTarget), known);
    if (typeof read === "string") return setFault(read);
    setFault("");
    workbench.stops.toggle(read.watch, read.condition);
    added();
  };
  return (
    <form className="add-stop" onSubmit={submit} onChange={() => setFault("")}>
      <label>
        Stop when
        <select
          className="field"
          value={kind}
          onChange={(event) => setKind(event.currentTarget.value as Kind)}
        >
          {KINDS.map(([id, words]) => (
            <option key={id} value={id}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <Target key={kind} kind={kind} known={known} />
      {hasFields(kind) && <OnlyIf />}
      <p className="else fault" role="status">
        {fault}
      </p>
      <button type="submit" className="btn solid">
        Add
      </button>
    </form>
  );
}

/** A condition can compare a local, a field or a value. */
const hasFields = (kind: Kind) => ["function", "line", "event", "counter", "free"].includes(kind);

function OnlyIf() {
  return (
    <fieldset className="only-if">
      <legend>Only if</legend>
      <input className="field" name="field" aria-label="Field" placeholder="order" size={9} />
      <select className="field" name="is" aria-label="Comparison">
        {COMPARISONS.map((is) => (
          <option key={is}>{is}</option>
        ))}
      </select>
      <input
        className="field"
        name="with"
        aria-label="Value to compare with"
        placeholder="any"
        size={7}
      />
    </fieldset>
  );
}

function Choose({
  name,
  label,
  options,
}: {
  name: string;
  label: string;
  options: readonly (readonly [string, string])[];
}) {
  return (
    <label>
      {label}
      <select className="field" name={name}>
        {options.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

const same = (names: readonly string[]) => names.map((name) => [name, name] as const);

const eventNames = ({ records }: WatchContext["catalog"]) =>
  records.filter(({ kind }) => kind === "event").map(({ name }) => name);

function Target({ kind, known: { catalog, info, view } }: { kind: Kind; known: WatchContext }) {
  const functions = same(catalog.functions.filter(({ file }) => file).map(({ name }) => name));
  const zones = view.zones.map(({ key }) => [key, zoneWords(key)] as const);
  switch (kind) {
    case "function":
      return <Choose name="name" label="Function" options={functions} />;
    case "line":
      return (
        <>
          <Choose name="name" label="Function" options={functions} />
          <label>
            Line
            <input className="field" name="line" inputMode="numeric" defaultValue="1" size={4} />
          </label>
        </>
      );
    case "event":
      return <Choose name="name" label="Event" options={same(eventNames(catalog))} />;
    case "counter":
      return (
        <label>
          Counter
          <input className="field" name="name" list="counter-names" placeholder="pgfault" />
          <datalist id="counter-names">
            {view.counters.map(([name]) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </label>
      );
    case "free":
      return <Choose name="zone" label="Zone" options={zones} />;
    case "mark":
      return (
        <>
          <Choose name="zone" label="Zone" options={zones} />
          <Choose name="mark" label="Watermark" options={same(MARKS)} />
        </>
      );
    case "page":
      return (
        <>
          <label>
            Page frame
            <input className="field" name="pfn" placeholder="0x52fcb" />
          </label>
          <Choose
            name="part"
            label="What changes"
            options={PAGE_PARTS.map((part) => [part, part === "any" ? "anything" : `its ${part}`])}
          />
        </>
      );
    case "task":
      return (
        <Choose
          name="task"
          label="Task"
          options={view.tasks.map(({ id, name }) => [String(id), name])}
        />
      );
    case "kswapd":
      return (
        <Choose
          name="node"
          label="Node"
          options={info.nodes.map(({ id }) => [String(id), String(id)])}
        />
      );
  }
}

type Read = { watch: Watch; condition: Condition | null };

/** The breakpoint that the form describes, or a message about a fault. */
function readForm(kind: Kind, form: FormData, known: WatchContext): Read | string {
  const text = (name: string) => String(form.get(name) ?? "").trim();
  const watch = readWatch(kind, text);
  if (!watch || !resolve(watch, known))
    return MISSING[kind] ?? "This machine does not have it. Choose something else.";
  const condition: Condition | null =
    text("with") === ""
      ? null
      : {
          // For a changing value, the value itself is the only field.
          field: text("field") || "value",
          is: text("is") as Comparison,
          with: text("with"),
        };
  const needsField = kind === "function" || kind === "line" || kind === "event";
  if (condition && needsField && text("field") === "")
    return "Name the field to compare: an argument, a local, or a field of the event.";
  return { watch, condition };
}

const MISSING: Partial<Record<Kind, string>> = {
  line: "This function has no line of that number.",
  counter: "This kernel has no counter of that name.",
  page: "There is no such page frame. Write a frame number in this machine's memory, such as 0x52fcb.",
};

function readWatch(kind: Kind, text: (name: string) => string): Watch | null {
  const name = text("name");
  const zone = text("zone");
  switch (kind) {
    case "function":
    case "event":
    case "counter":
      return { kind, name };
    case "line": {
      const line = Number(text("line"));
      return Number.isSafeInteger(line) && line > 0 ? { kind, name, line: line - 1 } : null;
    }
    case "free":
      return { kind, zone };
    case "mark":
      return { kind, zone, mark: MARKS.find((mark) => mark === text("mark")) ?? "low" };
    case "page": {
      const pfn = /^(0x[0-9a-f]{1,10}|\d{1,12})$/i.test(text("pfn")) ? Number(text("pfn")) : -1;
      const part = PAGE_PARTS.find((one) => one === text("part")) ?? "any";
      return pfn >= 0 ? { kind, pfn, part } : null;
    }
    case "task":
      return { kind, task: Number(text("task")) };
    case "kswapd":
      return { kind, node: Number(text("node")) };
  }
}
