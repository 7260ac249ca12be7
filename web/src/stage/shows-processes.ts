// Decides which machines show processes by node.

import type { Info } from "../engine/types";

/** Threads may run on several nodes; pages are counted by node up to this number. */
const MOST_NODES = 8;

/** Does the workload start threads, on a machine of two to eight nodes? */
export const showsProcesses = ({ has_threads, nodes }: Info): boolean =>
  has_threads && nodes.length > 1 && nodes.length <= MOST_NODES;
