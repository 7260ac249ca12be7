import { useId } from "react";
import type { TunableView } from "../../engine/types";
import { FormFields, SharedHelp } from "./FormField";
import { fieldText, parsed } from "./fields";
import { useForm, usePlace } from "./form";
import { FlatItem, Item, Items, ItemTools } from "./ListParts";
import {
  DEVICE_FIELDS,
  DISTANCE_FIELD,
  holeWords,
  MACHINE_FIELDS,
  MEMORY_FIELDS,
  NODE_FIELDS,
  newDevice,
  nodeWords,
  RANGE_FIELDS,
  RESERVED_FIELDS,
  withNode,
  withoutNode,
  withRange,
} from "./machine-fields";
import { at, itemsOf, type Json, type Path } from "./tree";
import { broughtBy, machineTunables } from "./tunable-fields";
import { MACHINE_FORM } from "./words";
import { Zones } from "./Zones";

/** The parts of a machine: nodes, distances, zones, speed of memory, devices, tunables. */
export function MachineForm({ tunables }: { tunables: readonly TunableView[] }) {
  const { tree } = useForm();
  const nodes = itemsOf(tree.nodes);
  return (
    <>
      <FormFields infos={MACHINE_FIELDS} path={[]} />
      <h3>{MACHINE_FORM.nodes}</h3>
      <Items
        list={["nodes"]}
        item={(node, _, i) => <Node node={node} index={i} canGo={nodes.length > 1} />}
        add={{ words: MACHINE_FORM.addNode, add: withNode, part: "cpus" }}
      />
      {nodes.length > 1 && <Distances names={nodes.map(nameOf)} />}
      <Zones />
      <h3>{MACHINE_FORM.speedOfMemory}</h3>
      {tree.memory === undefined ? (
        <p>{MACHINE_FORM.noSpeed}</p>
      ) : (
        <FormFields infos={MEMORY_FIELDS} path={["memory"]} />
      )}
      <h3>{MACHINE_FORM.devices}</h3>
      {tree.devices === undefined && <p>{MACHINE_FORM.noDevices}</p>}
      <Items
        list={["devices"]}
        item={(device, path) => <Device device={device} path={path} />}
        add={{
          words: MACHINE_FORM.addDevice,
          add: (machine) => ({
            ...machine,
            devices: [...itemsOf(machine.devices), newDevice(machine)],
          }),
          part: "id",
        }}
      />
      <h3>{MACHINE_FORM.tunables}</h3>
      <ol className="items">
        <Tunables known={tunables} />
      </ol>
    </>
  );
}

const nameOf = (node: Json, index: number) => `node ${numberText(at(node, ["id"])) || index}`;
const numberText = (value: Json | undefined) => (typeof value === "number" ? String(value) : "");

function Node({ node, index, canGo }: { node: Json; index: number; canGo: boolean }) {
  const { page_bytes } = useForm();
  const path = ["nodes", index];
  const name = nameOf(node, index);
  const helpId = useId();
  return (
    <Item
      path={path}
      title={name.replace("n", "N")}
      note={nodeWords(node, page_bytes)}
      tools={
        canGo && (
          <ItemTools
            path={path}
            words={name}
            canMove={false}
            remove={(machine) => withoutNode(machine, index)}
          />
        )
      }
    >
      <FormFields infos={NODE_FIELDS} path={path} />
      <h4>{MACHINE_FORM.memoryOf(name)}</h4>
      <SharedHelp id={`${helpId}-range`} infos={RANGE_FIELDS} />
      <Items
        list={[...path, "ranges"]}
        item={(_, __, i) => <Range node={index} index={i} helpId={`${helpId}-range`} />}
        add={{
          words: MACHINE_FORM.addRange,
          add: (machine) => withRange(machine, index),
          part: "start_pfn",
        }}
      />
      <h4>{MACHINE_FORM.notManaged}</h4>
      <SharedHelp id={helpId} infos={RESERVED_FIELDS} />
      <FormFields infos={RESERVED_FIELDS} path={[...path, "reserved"]} helpId={helpId} />
    </Item>
  );
}

function Range({ node, index, helpId }: { node: number; index: number; helpId: string }) {
  const { tree, page_bytes } = useForm();
  const path: Path = ["nodes", node, "ranges", index];
  return (
    <FlatItem
      path={path}
      title={MACHINE_FORM.range(index + 1)}
      note={holeWords(tree, node, index, page_bytes)}
      tools={<ItemTools path={path} words={MACHINE_FORM.rangeTools(index + 1)} canMove={false} />}
    >
      <FormFields infos={RANGE_FIELDS} path={path} helpId={helpId} />
    </FlatItem>
  );
}

/** A table of the distances between nodes. */
function Distances({ names }: { names: readonly string[] }) {
  const { fault } = usePlace(["distances"]);
  return (
    <>
      <h3>{MACHINE_FORM.distances}</h3>
      <p className={fault ? "fault" : undefined}>{fault ?? DISTANCE_FIELD.about}</p>
      <table className="distances" data-at="machine.distances">
        <thead>
          <tr>
            <th>{MACHINE_FORM.fromWords}</th>
            {names.map((name) => (
              <th key={name} scope="col">
                {MACHINE_FORM.nameTo(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {names.map((from, i) => (
            <tr key={from}>
              <th scope="row">{from}</th>
              {names.map((to, j) => (
                <td key={to}>
                  <Distance
                    path={["distances", i, j]}
                    words={MACHINE_FORM.distanceFromTo(from, to)}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function Distance({ path, words }: { path: Path; words: string }) {
  const { tree, page_bytes } = useForm();
  const { text, fault, set } = usePlace(path);
  const id = `about-${text}`;
  return (
    <>
      <input
        className="field"
        inputMode="numeric"
        aria-label={words}
        aria-invalid={fault !== undefined}
        aria-describedby={fault && id}
        value={fieldText(DISTANCE_FIELD, at(tree, path))}
        onChange={(event) => set(parsed(DISTANCE_FIELD, event.currentTarget.value, page_bytes))}
      />
      {fault && (
        <p id={id} className="fault">
          {fault}
        </p>
      )}
    </>
  );
}

/** Tunables that the machine sets at boot, in every experiment. */
function Tunables({ known }: { known: readonly TunableView[] }) {
  const { tree } = useForm();
  const set = broughtBy(tree.tunables).length;
  return (
    <Item
      path={["tunables"]}
      title={MACHINE_FORM.setAtBoot}
      note={set === 0 ? MACHINE_FORM.noneSet : MACHINE_FORM.someSet(set)}
    >
      <FormFields infos={machineTunables(known, tree.tunables)} path={["tunables"]} />
    </Item>
  );
}

function Device({ device, path }: { device: Json; path: Path }) {
  const id = at(device, ["id"]);
  const model = at(device, ["model"]);
  const name = typeof id === "string" && id !== "" ? id : "unnamed";
  return (
    <Item
      path={path}
      title={name}
      note={typeof model === "string" ? model : ""}
      tools={<ItemTools path={path} words={MACHINE_FORM.device(name)} />}
    >
      <FormFields infos={DEVICE_FIELDS} path={path} />
    </Item>
  );
}
