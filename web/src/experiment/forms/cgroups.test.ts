import { describe, expect, it } from "vitest";
import { cgroupNames, renamedCgroup, withoutCgroup } from "./cgroups";
import type { Tree } from "./tree";

const workload: Tree = {
  cgroups: [{ name: "shop" }, { name: "web", parent: "shop" }, { name: "db", parent: "web" }],
  processes: [{ name: "a", cgroup: "web" }, { name: "b", cgroup: "db" }, { name: "c" }],
};

describe("the memory cgroups of a form", () => {
  it("renames a cgroup in its processes and in the cgroups inside it", () => {
    const renamed = renamedCgroup(workload, 1, "front");
    expect(renamed.cgroups).toEqual([
      { name: "shop" },
      { name: "front", parent: "shop" },
      { name: "db", parent: "front" },
    ]);
    expect(renamed.processes).toEqual([
      { name: "a", cgroup: "front" },
      { name: "b", cgroup: "db" },
      { name: "c" },
    ]);
  });

  it("leaves references alone if another cgroup has the new name", () => {
    const renamed = renamedCgroup(workload, 1, "db");
    expect(cgroupNames(renamed)).toEqual(["shop", "db", "db"]);
    expect(renamed.processes).toEqual(workload.processes);
  });

  it("moves what a removed cgroup contained to the cgroup above it", () => {
    const left = withoutCgroup(workload, 1);
    expect(left.cgroups).toEqual([{ name: "shop" }, { name: "db", parent: "shop" }]);
    expect(left.processes).toEqual([
      { name: "a", cgroup: "shop" },
      { name: "b", cgroup: "db" },
      { name: "c" },
    ]);
  });

  it("leaves no trace of the last cgroup", () => {
    const one: Tree = { cgroups: [{ name: "x" }], processes: [{ name: "a", cgroup: "x" }] };
    expect(withoutCgroup(one, 0)).toEqual({ processes: [{ name: "a" }] });
  });
});
