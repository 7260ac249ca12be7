import { useId, useState } from "react";
import { cgroupChoice, cgroupNames, renamedCgroup, withoutCgroup } from "./cgroups";
import { FormFields } from "./FormField";
import { useForm, usePlace } from "./form";
import { Item, Items, ItemTools } from "./ListParts";
import { at, itemsOf, type Json, type Path } from "./tree";
import { CGROUPS } from "./words";
import { CGROUP_FIELDS, freeName, NEW_CGROUP } from "./workload-fields";

const [NAME, ...OTHERS] = CGROUP_FIELDS;

/** The memory cgroups of a workload. */
export function Cgroups() {
  return (
    <>
      <h3>{CGROUPS.title}</h3>
      <Items
        list={["cgroups"]}
        item={(group, path, index) => <Cgroup group={group} path={path} index={index} />}
        add={{
          words: CGROUPS.add,
          add: (whole) => {
            const items = itemsOf(whole.cgroups);
            return { ...whole, cgroups: [...items, freeName(items, NEW_CGROUP)] };
          },
          part: "name",
        }}
      />
    </>
  );
}

function Cgroup({ group, path, index }: { group: Json; path: Path; index: number }) {
  const { tree } = useForm();
  const names = cgroupNames(tree);
  const name = names[index] || CGROUPS.unnamed;
  const parent = at(group, ["parent"]);
  // The engine accepts only a parent that stands before the cgroup.
  const infos = OTHERS.map((info) =>
    info.name === "parent" ? cgroupChoice(info, names.slice(0, index)) : info,
  );
  return (
    <Item
      path={path}
      title={name}
      note={typeof parent === "string" ? CGROUPS.inside(parent) : ""}
      tools={
        <ItemTools
          path={path}
          words={CGROUPS.group(name)}
          remove={(workload) => withoutCgroup(workload, index)}
        />
      }
    >
      <NameField path={[...path, "name"]} index={index} value={names[index] ?? ""} />
      <FormFields infos={infos} path={path} />
    </Item>
  );
}

/** The new name counts when the field loses the focus, because other fields refer to it. */
function NameField({ path, index, value }: { path: Path; index: number; value: string }) {
  const { edit } = useForm();
  const { fault, text } = usePlace(path);
  const [typed, setTyped] = useState<string | null>(null);
  const id = useId();
  const store = () => {
    setTyped(null);
    const name = typed?.trim();
    if (name === undefined || name === value) return;
    edit((workload) => renamedCgroup(workload, index, name), text);
  };
  return (
    <div className="option-fields">
      <div className="option">
        <label htmlFor={id}>{NAME?.title}</label>
        <input
          id={id}
          className="field"
          data-part="name"
          value={typed ?? value}
          autoComplete="off"
          spellCheck={false}
          aria-invalid={fault !== undefined}
          aria-describedby={`${id}-about`}
          onChange={(event) => setTyped(event.currentTarget.value)}
          onBlur={store}
          onKeyDown={(event) => {
            if (event.key === "Enter") store();
          }}
        />
        <p id={`${id}-about`} className={fault ? "fault" : undefined}>
          {fault ?? NAME?.about}
        </p>
      </div>
    </div>
  );
}
