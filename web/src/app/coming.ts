// An experiment on its way to the engine.

import type { Goal } from "../engine/protocol";
import type { Refusal } from "../engine/types";
import type { Link } from "../link/link";
import type { Kept } from "./kept";
import type { Left } from "./store";

/** Where something that is opened comes from. */
export type Source = "link" | "choice" | "draft" | "file" | "library";

/** What the engine was sent, and what happens once it is open; nothing happens if it is refused. */
export interface Coming {
  readonly json: string;
  readonly goal: Goal;
  readonly source: Source;
  /** What is set up around it; none: all stays as it is. */
  readonly kept: Kept | null;
  /** The link it is from, which says where it stood. */
  readonly link?: Link;
  /** It is the person's own draft, from the address or from storage. */
  readonly isOwn?: boolean;
  /** As it was packed in an address or in storage. */
  readonly packed?: string;
  /** What it replaces and undoing brings back. */
  readonly leaving: Left | null;
  /** Who is told the verdict; else the page shows it. */
  readonly judged?: (refusals: readonly Refusal[]) => void;
}

/** Does it come from outside of what the person works on? */
export const isFromElsewhere = ({ source, isOwn = false }: Coming): boolean =>
  !isOwn && (source === "link" || source === "file" || source === "library");
