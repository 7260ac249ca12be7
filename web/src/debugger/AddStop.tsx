import { type FormEvent, useState } from "react";
import { useWorkbench, useWorkbenchState } from "../app/context";
import { knownOf } from "../app/store";
import { MARKS, PAGE_PARTS, resolve, type Watch, type WatchContext } from "../app/watch";
import { zoneWords } from "../engine/format";
import { COMPARISONS, type Comparison, type Condition } from "../engine/protocol";
import { ADD_STOP } from "./words";

const KINDS = [
  ["function", ADD_STOP.functionIsCalled],
  ["line", ADD_STOP.lineIsReached],
  ["event", ADD_STOP.eventHappens],
  ["mark", ADD_STOP.zoneCrossesWatermark],
  ["counter", "a counter changes"],
  ["free", ADD_STOP.zonesFreePagesChange],
  ["page", ADD_STOP.pageFrameChanges],
  ["task", ADD_STOP.taskChangesState],
  ["kswapd", ADD_STOP.kswapdWakesOrSleeps],
] as const;

type Kind = (typeof KINDS)[number][0];

/** A form for a breakpoint and, if it has fields, a condition. */
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
        {ADD_STOP.stopWhen}
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
        {ADD_STOP.add}
      </button>
    </form>
  );
}

/** A condition can compare a local, a field or a value. */
const hasFields = (kind: Kind) => ["function", "line", "event", "counter", "free"].includes(kind);

function OnlyIf() {
  return (
    <fieldset className="only-if">
      <legend>{ADD_STOP.onlyIf}</legend>
      <input
        className="field"
        name="field"
        aria-label={ADD_STOP.fieldLabel}
        placeholder={ADD_STOP.fieldExample}
        size={9}
      />
      <select className="field" name="is" aria-label={ADD_STOP.comparison}>
        {COMPARISONS.map((is) => (
          <option key={is}>{is}</option>
        ))}
      </select>
      <input
        className="field"
        name="with"
        aria-label={ADD_STOP.valueToCompare}
        placeholder={ADD_STOP.any}
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
      return <Choose name="name" label={ADD_STOP.functionWords} options={functions} />;
    case "line":
      return (
        <>
          <Choose name="name" label={ADD_STOP.functionWords} options={functions} />
          <label>
            {ADD_STOP.line}
            <input className="field" name="line" inputMode="numeric" defaultValue="1" size={4} />
          </label>
        </>
      );
    case "event":
      return <Choose name="name" label={ADD_STOP.event} options={same(eventNames(catalog))} />;
    case "counter":
      return (
        <label>
          {ADD_STOP.counter}
          <input
            className="field"
            name="name"
            list="counter-names"
            placeholder={ADD_STOP.counterExample}
          />
          <datalist id="counter-names">
            {view.counters.map(([name]) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </label>
      );
    case "free":
      return <Choose name="zone" label={ADD_STOP.zone} options={zones} />;
    case "mark":
      return (
        <>
          <Choose name="zone" label={ADD_STOP.zone} options={zones} />
          <Choose name="mark" label={ADD_STOP.watermark} options={same(MARKS)} />
        </>
      );
    case "page":
      return (
        <>
          <label>
            {ADD_STOP.pageFrame}
            <input className="field" name="pfn" placeholder={ADD_STOP.pageFrameExample} />
          </label>
          <Choose
            name="part"
            label={ADD_STOP.whatChanges}
            options={PAGE_PARTS.map((part) => [part, part === "any" ? "anything" : `its ${part}`])}
          />
        </>
      );
    case "task":
      return (
        <Choose
          name="task"
          label={ADD_STOP.task}
          options={view.tasks.map(({ id, name }) => [String(id), name])}
        />
      );
    case "kswapd":
      return (
        <Choose
          name="node"
          label={ADD_STOP.node}
          options={info.nodes.map(({ id }) => [String(id), String(id)])}
        />
      );
  }
}

type Read = { watch: Watch; condition: Condition | null };

/** The breakpoint that the form describes, or an error message. */
function readForm(kind: Kind, form: FormData, known: WatchContext): Read | string {
  const text = (name: string) => String(form.get(name) ?? "").trim();
  const watch = readWatch(kind, text);
  if (!watch || !resolve(watch, known)) return MISSING[kind] ?? ADD_STOP.missing;
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
  if (condition && needsField && text("field") === "") return ADD_STOP.fieldMissing;
  return { watch, condition };
}

const MISSING: Partial<Record<Kind, string>> = {
  line: ADD_STOP.lineMissing,
  counter: ADD_STOP.counterMissing,
  page: ADD_STOP.pageMissing,
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
