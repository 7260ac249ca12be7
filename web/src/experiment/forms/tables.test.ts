// The forms' tables compared with the engine, which reads what the forms write.

import { describe, expect, test } from "vitest";
import {
  catalog,
  loadEngine,
  openText,
  parts,
  presetJson,
  readNow,
} from "../../engine/loaded.test-support";
import { type Schema, typeNamed } from "../../engine/schema";
import type { Refusal } from "../../engine/types";
import { fieldPaths } from "./field-paths";
import type { FieldInfo } from "./fields";
import {
  DEVICE_FIELDS,
  isMachine,
  MACHINE_FIELDS,
  NODE_FIELDS,
  newDevice,
  RANGE_FIELDS,
  RESERVED_FIELDS,
  withNode,
  withoutNode,
  withRange,
} from "./machine-fields";
import { own } from "./parts";
import { stepWords } from "./step-words";
import { at, itemsOf, type Json, type Path, pathText, type Tree, withAt } from "./tree";
import { broughtBy, machineTunables, tunableField } from "./tunable-fields";
import {
  CGROUP_FIELDS,
  FILE_FIELDS,
  isWorkload,
  NEW_FILE,
  NEW_PROCESS,
  OPERATIONS,
  operationsOf,
  PROCESS_FIELDS,
  WORKLOAD_FIELDS,
} from "./workload-fields";
import { missingZone, withoutZone, withZone, ZONE_FIELDS } from "./zone-fields";

const machines = parts.machines as readonly Tree[];
const workloads = parts.workloads as readonly Tree[];
const preset = JSON.parse(presetJson("first-touch.teach")) as Tree;
const machineOf = (id: string) => machines.find((machine) => machine.id === id) as Tree;
const teach = machineOf(String(preset.machine));

/** The engine's refusals of an experiment. */
function refusalsOf(experiment: Tree): readonly Refusal[] {
  const reading = readNow(JSON.stringify(experiment));
  if (reading.kind === "checked") return [];
  if (reading.kind === "refused") return reading.refusals;
  throw new Error("the reader is not there");
}

/** The machine's state hash after a while. */
function hashAfter(experiment: Tree): string {
  const engine = loadEngine();
  expect(openText(engine, 0, JSON.stringify(experiment)).kind).toBe("checked");
  engine.run(0, 5000, undefined, undefined);
  return engine.hash(0);
}

const workloadWith = (program: Json): Tree => ({
  id: "own",
  processes: [{ name: "one", program }],
});
const PROGRAM: Path = ["workload", "processes", 0, "program"];

/**
 * Expects that the engine reads each field of the table at that place, and refuses bad values
 * there.
 */
function expectRead(experiment: Tree, path: Path, fields: readonly FieldInfo[]): void {
  for (const { name } of fields) {
    const odd = withAt(experiment, [...path, name], { moon: 1 }) as Tree;
    const paths = refusalsOf(odd).map((refusal) => refusal.path);
    // The engine refuses a list as a whole, a map by its keys.
    expect(paths, pathText([...path, name])).toContain(pathText([...path, name]));
  }
}

describe("the table of operations", () => {
  test("has exactly the operations of the engine", () => {
    const [refusal] = refusalsOf({ ...preset, workload: workloadWith([{ op: "moon" }]) });
    const [, known = ""] = /operations are (.*)$/.exec(refusal?.reason ?? "") ?? [];
    expect(OPERATIONS.map(({ op }) => op).sort()).toEqual(known.split(/,\s+/).sort());
  });

  test("offers every operation that the engine's types describe, including an added one", () => {
    const step = typeNamed("Step");
    const described = step.oneOf?.map(({ properties }) => properties?.op?.const);
    expect(OPERATIONS.map(({ op }) => op)).toEqual(described);
    const madvise: Schema = {
      description: "Advises.",
      properties: {
        op: { const: "madvise" },
        advice: { type: "string", enum: ["cold", "pageout"], description: "Which advice." },
        pages: { $ref: "#/$defs/Size", "x-left-out": "all", description: "How much." },
        loud: { type: "boolean", default: false, description: "Is it heard?" },
      },
      required: ["op", "advice"],
    };
    const [added] = operationsOf({ oneOf: [madvise] });
    expect(added).toMatchObject({ op: "madvise", about: "Advises.", blank: { op: "madvise" } });
    expect(added?.fields.map(({ name, as, usual }) => [name, as.kind, usual])).toEqual([
      ["advice", "choice", undefined],
      ["pages", "size", "all"],
      ["loud", "flag", "no"],
    ]);
  });

  test.each(OPERATIONS.map((operation) => [operation.op, operation] as const))(
    "has the fields of %s and starts with values that the engine reads",
    (_, { fields, blank }) => {
      const experiment = { ...preset, workload: workloadWith([blank]) };
      const unread = refusalsOf(experiment).filter(({ reason }) =>
        /expected|unknown|no field/.test(reason),
      );
      expect(unread).toEqual([]);
      expectRead(experiment, [...PROGRAM, 0], fields);
      const needed = fields.filter(({ usual }) => usual === undefined);
      for (const { name } of needed) {
        const without = withAt(experiment, [...PROGRAM, 0, name], undefined) as Tree;
        expect(refusalsOf(without).map(({ path }) => path)).toContain(
          pathText([...PROGRAM, 0, name]),
        );
      }
    },
  );

  test("knows every field of every ready-made workload and describes each step", () => {
    const names = (fields: readonly FieldInfo[]) => fields.map(({ name }) => name);
    const step = (value: Json) => {
      const operation = OPERATIONS.find(({ op }) => op === at(value, ["op"]));
      const known = ["op", "do", ...names(operation?.fields ?? [])];
      expect(known).toEqual(expect.arrayContaining(Object.keys(value as Tree)));
      expect(stepWords(value)).not.toMatch(/unknown|undefined|\[object| {2}/);
      for (const inner of itemsOf(at(value, ["do"]))) step(inner);
    };
    for (const workload of workloads) {
      expect(isWorkload(workload)).toBe(true);
      const known = ["id", "processes", "files", "cgroups", ...names(WORKLOAD_FIELDS)];
      expect(known).toEqual(expect.arrayContaining(Object.keys(workload)));
      for (const file of itemsOf(workload.files)) {
        expect(names(FILE_FIELDS)).toEqual(expect.arrayContaining(Object.keys(file as Tree)));
      }
      for (const cgroup of itemsOf(workload.cgroups)) {
        expect(names(CGROUP_FIELDS)).toEqual(expect.arrayContaining(Object.keys(cgroup as Tree)));
      }
      for (const process of itemsOf(workload.processes)) {
        const known = ["program", ...names(PROCESS_FIELDS)];
        expect(known).toEqual(expect.arrayContaining(Object.keys(process as Tree)));
        for (const one of itemsOf(at(process, ["program"]))) step(one);
      }
    }
  });

  test("has the fields of processes and files", () => {
    const workload = { id: "own", files: [NEW_FILE], processes: [NEW_PROCESS] };
    const experiment = { ...preset, workload };
    expect(refusalsOf(experiment)).toEqual([]);
    expectRead(experiment, ["workload", "processes", 0], PROCESS_FIELDS);
    expectRead(experiment, ["workload", "files", 0], FILE_FIELDS);
    expectRead(experiment, ["workload"], WORKLOAD_FIELDS);
  });
});

describe("the tables of machines", () => {
  test("have the fields that the engine reads", () => {
    const experiment = { ...preset, machine: teach };
    expectRead(experiment, ["machine"], MACHINE_FIELDS);
    expectRead(experiment, ["machine", "nodes", 0], NODE_FIELDS);
    expectRead(experiment, ["machine", "nodes", 0, "reserved"], RESERVED_FIELDS);
    expectRead(experiment, ["machine", "nodes", 0, "ranges", 0], RANGE_FIELDS);
    expectRead(experiment, ["machine", "devices", 0], DEVICE_FIELDS);
    const byHand = { ...preset, machine: withZone(teach, 4096) };
    expectRead(byHand, ["machine", "zones", 0], ZONE_FIELDS);
  });

  test("have every zone type of the engine", () => {
    const zones = [{ kind: "moon" }];
    const [refusal] = refusalsOf({ ...preset, machine: { ...teach, zones } });
    const [, known = ""] = /zone types are (.*)$/.exec(refusal?.reason ?? "") ?? [];
    const [kind] = ZONE_FIELDS;
    if (kind?.as.kind !== "choice") throw new Error("a type is chosen");
    expect(kind.as.of.map(([value]) => value)).toEqual(known.split(/,\s+/));
  });

  test.each([
    ["first-touch.teach", "x86_64-2node-teach", "3.0"],
    ["first-touch.teach", "ppc64-16m-64k-teach", "6.1"],
  ])("set the same zones of %s on %s under %s as the kernel", (id, name, kernel) => {
    const machine = machineOf(name);
    const byHand = withZone(machine, Number(machine.page_size_kib) * 1024);
    const experiment = { ...(JSON.parse(presetJson(id)) as Tree), kernel, tunables: {} };
    const [own, set] = [machine, byHand].map((one) => hashAfter({ ...experiment, machine: one }));
    expect(byHand).not.toEqual(machine);
    expect(set).toBe(own);
    const [first, ...others] = itemsOf(byHand.zones);
    const moved = { ...byHand, zones: [{ ...(first as Tree), below_pfn: 256 }, ...others] };
    // If several zones have memory, a border inside memory makes another machine. A border in a
    // hole does not.
    if (others.length > 1) expect(hashAfter({ ...experiment, machine: moved })).not.toBe(own);
  });

  test("accept an added zone at its position and restore the kernel's zones when all are removed", () => {
    const usual = withZone(teach, 4096);
    let machine = withZone(usual, 4096);
    expect(itemsOf(machine.zones).map((zone) => at(zone, ["kind"]))).toEqual([
      "DMA",
      "DMA32",
      "Normal",
      "Movable",
      "Device",
    ]);
    expect(refusalsOf({ ...preset, machine })).toEqual([]);
    expect(missingZone(machine)).toBeNull();
    expect(withZone(machine, 4096)).toEqual(machine);
    for (const index of [0, 1, 3]) {
      const without = withoutZone(usual, index);
      expect(missingZone(without)?.index).toBe(index);
      expect(withZone(without, 4096)).toEqual(usual);
    }
    while (machine.zones !== undefined) machine = withoutZone(machine, 0);
    expect(machine).toEqual(teach);
  });

  test("refuse wrong borders at a path that has a field", () => {
    const usual = withZone(teach, 4096);
    const machine = withAt(usual, ["zones", 1, "below_pfn"], 1) as Tree;
    const [refusal] = refusalsOf({ ...preset, machine });
    expect(refusal?.path).toBe("machine.zones[1].below_pfn");
    const twice = withAt(usual, ["zones", 1, "kind"], "DMA") as Tree;
    const none = { ...teach, zones: [] };
    for (const wrong of [machine, twice, none]) {
      const places = fieldPaths(preset, wrong, undefined, []);
      const found = refusalsOf({ ...preset, machine: wrong }).map(({ path }) => path);
      expect(found.length).toBeGreaterThan(0);
      for (const path of found) expect(places).toContain(path);
    }
  });

  test("have the tunables of every kernel for the machine and for the experiment", () => {
    for (const [kernel, known] of catalog.tunables) {
      const experiment = { ...preset, kernel, tunables: {}, machine: teach };
      const fields = machineTunables(known, undefined);
      expect(fields.length).toBe(known.length);
      expectRead(experiment, ["machine", "tunables"], fields);
      // The default can also be written explicitly, if it is a value that can be written.
      for (const { name, as, usual } of known.map((one) => tunableField(one))) {
        const words = as.kind === "choice" ? as.of.map(([value]) => String(value)) : [usual ?? ""];
        for (const word of words.filter((one) => !/^as booted$/.test(one))) {
          const machine = withAt(teach, ["tunables", name], word) as Tree;
          expect(refusalsOf({ ...experiment, machine }), `${kernel} ${name} ${word}`).toEqual([]);
        }
      }
    }
  });

  test("show a tunable that the kernel lacks so that it can be removed", () => {
    const known = catalog.tunables.find(([kernel]) => kernel === "3.0")?.[1] ?? [];
    const tunables = { "vm.watermark_scale_factor": "200" };
    const machine = { ...teach, tunables };
    const [refusal] = refusalsOf({ ...preset, kernel: "3.0", machine });
    expect(refusal?.path).toBe("machine.tunables.vm.watermark_scale_factor");
    const names = machineTunables(known, tunables).map(({ name }) => name);
    expect(names.filter((name) => broughtBy(tunables).includes(name)).length).toBe(1);
    expect(fieldPaths(preset, machine, undefined, [])).toContain(refusal?.path);
  });

  test("set a tunable of the machine from the start of the run", () => {
    const set = { tunables: { "vm.swappiness": "0", "vm.min_free_kbytes": "256" } };
    const bare = { ...preset, tunables: {} };
    const byMachine = hashAfter({ ...bare, machine: { ...teach, ...set } });
    expect(byMachine).toBe(hashAfter({ ...bare, ...set }));
    expect(byMachine).not.toBe(hashAfter(bare));
  });

  test("have an entry for every ready-made machine", () => {
    for (const machine of machines) {
      expect(isMachine(machine)).toBe(true);
      const places = fieldPaths(preset, machine, undefined, []);
      const known = (value: Json, path: Path) => {
        for (const name of Object.keys(value as Tree)) {
          if (["id", "nodes", "devices", "ranges", "memory"].includes(name) && path.length < 4)
            continue;
          expect(places).toContain(pathText([...path, name]));
        }
      };
      known(machine, ["machine"]);
      if (machine.memory) known(machine.memory as Json, ["machine", "memory"]);
      for (const [i, node] of itemsOf(machine.nodes).entries())
        known(node, ["machine", "nodes", i]);
      for (const [i, one] of itemsOf(machine.devices).entries()) {
        known(one, ["machine", "devices", i]);
      }
    }
  });

  test("give a machine with an added node, range and device that runs", () => {
    let machine = withRange(withNode(teach), 0);
    machine = { ...machine, devices: [...itemsOf(machine.devices), newDevice(machine)] };
    // Its device has neither files nor swap yet: the engine refuses it at that place.
    const found = refusalsOf({ ...preset, machine });
    expect(found.map(({ path }) => path)).toEqual(["machine.devices[1].files"]);
    machine = withAt(machine, ["devices", 1, "files"], true) as Tree;
    expect(refusalsOf({ ...preset, machine })).toEqual([]);
    expect(withoutNode(withNode(teach), itemsOf(teach.nodes).length)).toEqual(teach);
  });
});

describe("a custom copy", () => {
  test("runs like the ready-made experiment", () => {
    const workload = workloads.find(({ id }) => id === preset.workload) as Tree;
    const copy = {
      ...preset,
      machine: own(preset.machine, teach),
      workload: own(preset.workload, workload),
    };
    expect(hashAfter(copy)).toBe(hashAfter(preset));
  });
});

describe("a patch", () => {
  test("is one of the engine's patches or is refused at its position in the list", () => {
    const with3 = { ...preset, kernel: "3.0" };
    for (const { id, title, about } of parts.patches) {
      expect(title.length * about.length).toBeGreaterThan(0);
      const refusals = refusalsOf({ ...with3, patches: [id] });
      for (const { path, reason } of refusals) {
        expect(path).toBe("patches[0]");
        expect(reason).toMatch(/does not apply|already has this patch|name that patch as well/);
      }
    }
    const [refusal] = refusalsOf({ ...with3, patches: ["zlcfirst", "moon"] });
    expect(refusal?.path).toBe("patches[1]");
  });
});
