// The experiment for an imported machine, and its title.

import { size } from "../engine/format";
import type { Json } from "../link/difference";
import type { ImportReport } from "./import-report";
import { IMPORT_MACHINE } from "./words";

/** A workload that fits any machine: it names no node, and its sizes scale with the machine. */
export const ANY_MACHINE_WORKLOAD = "fill-memory";

/** An imported machine on which two tasks fill memory. */
export function experimentOn(report: ImportReport): string {
  const { machine, kernel } = report;
  return JSON.stringify({
    id: "",
    title: titleOf(report),
    machine,
    kernel,
    workload: ANY_MACHINE_WORKLOAD,
    seed: 1,
    length: "60s",
  });
}

/** A description of the machine: "Your machine: 1 node, 2.0 GiB, 4 CPUs, x86_64, kernel 6.1". */
export function titleOf(report: ImportReport): string {
  const { machine, kernel } = report;
  const nodes = listOf(machine.nodes);
  const cpus = sum(nodes.map((node) => numberOf(fieldsOf(node).cpus)));
  const pages = sum(
    nodes.flatMap((node) =>
      listOf(fieldsOf(node).ranges).map((at) => numberOf(fieldsOf(at).pages)),
    ),
  );
  const parts = [
    IMPORT_MACHINE.nodes(nodes.length),
    size(pages, numberOf(machine.page_size_kib) * 1024),
    IMPORT_MACHINE.cpus(cpus),
    ...architecture(report),
    `kernel ${kernel}`,
  ];
  return IMPORT_MACHINE.yourMachine(parts.join(", "));
}

/** The architecture, if the text or the user names it. */
function architecture({ inferred, machine }: ImportReport): string[] {
  const arch = inferred.find(({ what }) => what === "arch")?.value;
  const isKnown = arch === undefined || arch === machine.arch;
  return isKnown && typeof machine.arch === "string" ? [machine.arch] : [];
}

const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
const numberOf = (value: Json | undefined): number => (typeof value === "number" ? value : 0);
const fieldsOf = (value: Json): { readonly [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
