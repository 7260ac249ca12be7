import { useId } from "react";
import { FormFields, SharedHelp } from "./FormField";
import { useForm, usePlace } from "./form";
import { FlatItem, Items, ItemTools } from "./ListParts";
import { at, type Json, type Path } from "./tree";
import { ZONES } from "./words";
import { borderWords, missingZone, withoutZone, withZone, ZONE_FIELDS } from "./zone-fields";

/** The zones that a machine defines to replace the kernel's own, each with its border. */
export function Zones() {
  const { tree, page_bytes } = useForm();
  const { fault } = usePlace(["zones"]);
  const isOwn = tree.zones !== undefined;
  const missing = missingZone(tree);
  const helpId = useId();
  return (
    <>
      <h3>{ZONES.zones}</h3>
      {fault && <p className="fault">{fault}</p>}
      {isOwn ? <SharedHelp id={helpId} infos={ZONE_FIELDS} /> : <p>{ZONES.byKernel}</p>}
      <Items
        list={["zones"]}
        item={(zone, path, i) => <Zone zone={zone} path={path} index={i} helpId={helpId} />}
        add={
          missing && {
            index: isOwn ? missing.index : 0,
            words: isOwn ? ZONES.addZone(missing.kind) : ZONES.setZonesByHand,
            add: (machine) => withZone(machine, page_bytes),
            part: "kind",
          }
        }
      />
    </>
  );
}

function Zone({
  zone,
  path,
  index,
  helpId,
}: {
  zone: Json;
  path: Path;
  index: number;
  helpId: string;
}) {
  const { page_bytes } = useForm();
  const kind = at(zone, ["kind"]);
  const name = typeof kind === "string" && kind !== "" ? kind : "untyped";
  return (
    <FlatItem
      path={path}
      title={name}
      note={borderWords(zone, page_bytes)}
      tools={
        <ItemTools
          path={path}
          words={ZONES.zone(name)}
          remove={(machine) => withoutZone(machine, index)}
        />
      }
    >
      <FormFields infos={ZONE_FIELDS} path={path} helpId={helpId} />
    </FlatItem>
  );
}
