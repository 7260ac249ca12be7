// Determines the kind of files by their names and first bytes, before they are read.

/** The name without folders. */
export const baseOf = (name: string): string => name.split(/[/\\]/).at(-1) ?? name;

const PACKED = /\.(?:gz|tgz|tar|dat)$/i;
const OF_MACHINE =
  /^(?:f?trace|perf\b|dmesg|oom|kern|messages|syslog|vmstat|zoneinfo|buddyinfo|pagetypeinfo|before|after|samples)/i;
const OTHER = /\.(?:json|mmscope|zip|mdx)$/i;

/**
 * Whether files come from a machine, by their names. Files of moments, libraries and lessons do
 * not.
 */
export function areOfMachine(names: readonly string[]): boolean {
  const bases = names.map(baseOf);
  if (bases.length === 1 && OTHER.test(bases[0] ?? "")) return false;
  return bases.some((name) => PACKED.test(name) || OF_MACHINE.test(name));
}

const TRACE_LINE = /(?:^|\n)# tracer:|\[\d{3,}\]\s+(?:\S+\s+)?\d+\.\d{6,9}:\s+\w/;

/** Whether a text is a trace of the kernel, by a line of it. */
export const isTraceText = (text: string): boolean => TRACE_LINE.test(text);
