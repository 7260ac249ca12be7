// An experiment that was sent to the engine and is not open yet.

import type { Goal } from "../engine/protocol";
import type { Refusal } from "../engine/types";
import type { Link } from "../link/link";
import type { LinkResult } from "../link/schema";
import type { Setup } from "./setup";
import type { Left } from "./store";

/** Where an experiment was opened from. */
export type Source = "link" | "choice" | "draft" | "file" | "library";

/** What the engine was sent, and what to do once it is open; a refusal cancels that. */
export interface PendingOpen {
  readonly json: string;
  readonly goal: Goal;
  readonly source: Source;
  /** The setup around it; null keeps the present one. */
  readonly setup: Setup | null;
  /** The result of its run, if the present setup is kept. */
  readonly result?: LinkResult | null;
  /** The link it is from, which has its position. */
  readonly link?: Link;
  /** It is the user's own draft, from the address or from storage. */
  readonly isOwn?: boolean;
  /** Its packed text in an address or in storage. */
  readonly packed?: string;
  /** What it replaces; undo restores that. */
  readonly leaving: Left | null;
  /** Receives the engine's refusals; without it the page shows them. */
  readonly judged?: (refusals: readonly Refusal[]) => void;
}

/** Whether it comes from outside the user's own work. */
export const isFromElsewhere = ({ source, isOwn = false }: PendingOpen): boolean =>
  !isOwn && (source === "link" || source === "file" || source === "library");
