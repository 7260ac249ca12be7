// An experiment that was sent to the engine and is not open yet.

import type { Goal } from "../engine/protocol";
import type { Refusal } from "../engine/types";
import type { Link } from "../link/link";
import type { LinkResult } from "../link/schema";
import type { Setup } from "./setup";
import type { Left } from "./store";

/** Where an experiment was opened from. */
export type Source = "link" | "choice" | "draft" | "file" | "library";

/**
 * An experiment that was sent to the engine, and what to do once it is open; an error cancels this.
 */
export interface PendingOpen {
  readonly json: string;
  readonly goal: Goal;
  readonly source: Source;
  /** The setup that belongs to the experiment; null keeps the present setup. */
  readonly setup: Setup | null;
  /** The result of the experiment's run, if the present setup is kept. */
  readonly result?: LinkResult | null;
  /** The link that contained the experiment and its position. */
  readonly link?: Link;
  /** Whether it is the user's own draft, from the address or from storage. */
  readonly isOwn?: boolean;
  /** Its packed text in an address or in storage. */
  readonly packed?: string;
  /** The experiment that it replaces; undo restores that experiment. */
  readonly leaving: Left | null;
  /** Receives the engine's refusals; without it the page shows them. */
  readonly judged?: (refusals: readonly Refusal[]) => void;
}

/** Whether it is not the user's own work. */
export const isFromElsewhere = ({ source, isOwn = false }: PendingOpen): boolean =>
  !isOwn && (source === "link" || source === "file" || source === "library");
