import { Cgroups } from "./Cgroups";
import { cgroupChoice, cgroupNames } from "./cgroups";
import { FormField, FormFields } from "./FormField";
import { isStepRefused } from "./field-paths";
import type { FieldInfo } from "./fields";
import { useForm, usePlace } from "./form";
import { Item, Items, ItemTools } from "./ListParts";
import { stepWords } from "./step-words";
import { at, isTree, itemsOf, type Json, type Path, pathText, type Tree, withAt } from "./tree";
import { WORKLOAD_FORM } from "./words";
import {
  FILE_FIELDS,
  freeName,
  NEW_FILE,
  NEW_PROCESS,
  OPERATIONS,
  operationOf,
  PROCESS_FIELDS,
  WORKLOAD_FIELDS,
} from "./workload-fields";

/** The parts of a workload: its files, its processes, and the program of each process. */
export function WorkloadForm() {
  const add = (list: string, item: Tree) => (whole: Tree) => {
    const items = itemsOf(whole[list]);
    return { ...whole, [list]: [...items, freeName(items, item)] };
  };
  return (
    <>
      <FormFields infos={WORKLOAD_FIELDS} path={[]} />
      <h3>{WORKLOAD_FORM.processes}</h3>
      <Items
        list={["processes"]}
        item={(process, path) => <Process process={process} path={path} />}
        add={{ words: WORKLOAD_FORM.addProcess, add: add("processes", NEW_PROCESS), part: "name" }}
      />
      <Cgroups />
      <h3>{WORKLOAD_FORM.files}</h3>
      <Items
        list={["files"]}
        item={(file, path) => <File file={file} path={path} />}
        add={{ words: WORKLOAD_FORM.addFile, add: add("files", NEW_FILE), part: "name" }}
      />
    </>
  );
}

const textAt = (value: Json, name: string): string => {
  const found = at(value, [name]);
  return typeof found === "string" || typeof found === "number" ? String(found) : "";
};

function Process({ process, path }: { process: Json; path: Path }) {
  const names = cgroupNames(useForm().tree);
  const infos = PROCESS_FIELDS.map((info) =>
    info.name === "cgroup" ? cgroupChoice(info, names) : info,
  );
  const name = textAt(process, "name") || "unnamed";
  const tasks = at(process, ["count"]) ?? 1;
  const node = textAt(process, "node");
  const note = [
    tasks === 0
      ? WORKLOAD_FORM.startedByOtherProcesses
      : WORKLOAD_FORM.atStart(textAt(process, "count") || "1"),
    node && `node ${node}`,
    textAt(process, "cgroup") && WORKLOAD_FORM.inCgroup(textAt(process, "cgroup")),
  ];
  return (
    <Item
      path={path}
      title={name}
      note={note.filter(Boolean).join(", ")}
      tools={<ItemTools path={path} words={WORKLOAD_FORM.process(name)} />}
    >
      <FormFields infos={infos} path={path} />
      <h4>{WORKLOAD_FORM.whatItDoes}</h4>
      <Program path={[...path, "program"]} of={name} />
    </Item>
  );
}

/** Operations in order; the operations of a loop are nested inside it. */
function Program({ path, of }: { path: Path; of: string }) {
  const think = { op: "think", time: "1ms" };
  return (
    <Items
      list={path}
      className="items program"
      item={(step, place) => <Step step={step} path={place} of={of} />}
      add={{
        words: path.at(-1) === "do" ? WORKLOAD_FORM.addToLoop : WORKLOAD_FORM.addOperationTo(of),
        add: (whole) => withAt(whole, [...path, itemsOf(at(whole, path)).length], think) as Tree,
        part: "op",
      }}
    />
  );
}

function Step({ step, path, of }: { step: Json; path: Path; of: string }) {
  const { base, faults } = useForm();
  const words = stepWords(step);
  const operation = operationOf(step);
  const body = at(step, ["do"]);
  return (
    <Item
      path={path}
      title={words}
      tools={<ItemTools path={path} words={words} />}
      isFaultyInside={isStepRefused(faults, pathText([base, ...path]))}
      after={body !== undefined && <Program path={[...path, "do"]} of={of} />}
    >
      <div className="option-fields">
        <OperationField step={step} path={path} />
        {operation?.fields.map((info) => (
          <FormField key={info.name} info={info} path={[...path, info.name]} />
        ))}
      </div>
    </Item>
  );
}

const OPERATION: FieldInfo = {
  name: "op",
  title: WORKLOAD_FORM.operation,
  about: WORKLOAD_FORM.operationHelp,
  as: { kind: "choice", of: OPERATIONS.map(({ op }) => [op, op] as const) },
};

/** Chooses the operation; fields that both operations have are kept. */
function OperationField({ step, path }: { step: Json; path: Path }) {
  const { edit } = useForm();
  const place = usePlace([...path, "op"]);
  const id = `op-${place.text}`;
  const operation = operationOf(step);
  const change = (op: string) => {
    const next = OPERATIONS.find((other) => other.op === op);
    if (next) edit((whole) => withAt(whole, path, another(next, step)) as Tree);
  };
  return (
    <div className="option">
      <label htmlFor={id}>{OPERATION.title}</label>
      <select
        id={id}
        className="field"
        data-part="op"
        value={operation?.op ?? textAt(step, "op")}
        aria-invalid={place.fault !== undefined}
        aria-describedby={`${id}-about`}
        onChange={(event) => change(event.currentTarget.value)}
      >
        {!operation && <option value={textAt(step, "op")}>{textAt(step, "op")}</option>}
        {OPERATIONS.map(({ op }) => (
          <option key={op} value={op}>
            {op}
          </option>
        ))}
      </select>
      <p id={`${id}-about`} className={place.fault ? "fault" : undefined}>
        {place.fault ?? operation?.about ?? OPERATION.about}
      </p>
    </div>
  );
}

/** A new step of another operation, with the values of fields that both operations have. */
function another({ fields, blank }: (typeof OPERATIONS)[number], step: Json): Tree {
  if (!isTree(step)) return blank;
  const carried = fields.filter(({ name }) => step[name] !== undefined && name in blank);
  return { ...blank, ...Object.fromEntries(carried.map(({ name }) => [name, step[name] ?? null])) };
}

function File({ file, path }: { file: Json; path: Path }) {
  const name = textAt(file, "name") || "unnamed";
  const size = at(file, ["size"]);
  const many = textAt(file, "count");
  const each = typeof size === "number" ? WORKLOAD_FORM.pages(size) : textAt(file, "size");
  return (
    <Item
      path={path}
      title={name}
      note={many && many !== "1" ? WORKLOAD_FORM.manyOfEach(many, each) : each}
      tools={<ItemTools path={path} words={WORKLOAD_FORM.file(name)} />}
    >
      <FormFields infos={FILE_FIELDS} path={path} />
    </Item>
  );
}
