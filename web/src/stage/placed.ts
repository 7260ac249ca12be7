// Which machines are shown by process and node.

import type { Info } from "../engine/types";

/** Threads may run on several nodes, and their pages are counted by node up to so many. */
const MOST_NODES = 8;

/** Does a workload start threads on a machine of two to eight nodes? */
export const hasPlaces = ({ has_threads, nodes }: Info): boolean =>
  has_threads && nodes.length > 1 && nodes.length <= MOST_NODES;
