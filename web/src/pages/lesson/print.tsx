// Prints a lesson's handout, and the key to it. Their code loads on request, and the runs of the
// key are made then.

import { type ReactNode, useCallback, useEffect, useState } from "react";
import type { Prose } from "../../lessons/load";
import { actsWhen } from "../../ui/acts";
import { currentTheme } from "../../ui/theme";
import { useLesson } from "./context";
import { PRINT } from "./words";

/** The two printed forms of a lesson. */
type Print = "handout" | "key";

/** The state and actions of a lesson's prints. */
export interface Paper {
  /** Renders the sheet, which stays on the page until it is printed. */
  readonly sheet: ((prose: Prose) => ReactNode) | null;
  /** A message while it is being made. */
  readonly message: string;
  readonly isMaking: boolean;
  readonly make: (print: Print) => void;
}

/**
 * While the page itself is printed, records the theme in which its maps were painted. Printing uses
 * the light theme and does not wait for a repaint. The style sheet leaves dark maps out.
 */
export function usePainted(): void {
  useEffect(() => {
    const { dataset } = document.documentElement;
    const before = () => {
      dataset.painted = currentTheme();
    };
    const after = () => {
      delete dataset.painted;
    };
    addEventListener("beforeprint", before);
    addEventListener("afterprint", after);
    return () => {
      removeEventListener("beforeprint", before);
      removeEventListener("afterprint", after);
    };
  }, []);
}

/** Makes the printed forms of the lesson at an address; null for a lesson from a folder. */
export function usePaper(address: string | null): Paper {
  const controller = useLesson();
  const [sheet, setSheet] = useState<Paper["sheet"]>(null);
  const [message, setMessage] = useState("");
  const [isMaking, setMaking] = useState(false);
  const printed = useCallback(() => {
    setSheet(null);
    setMaking(false);
    setMessage("");
  }, []);
  const parts = { address, say: setMessage, printed };
  const make = async (print: Print) => {
    setMaking(true);
    try {
      if (print === "handout") {
        const { Handout } = await import("./handout/Handout");
        setSheet(() => (prose: Prose) => <Handout Prose={prose} {...parts} />);
      } else {
        const [{ Key }, verdicts] = await Promise.all([
          import("./handout/Key"),
          controller.verdicts((done, all) => setMessage(PRINT.keyRunOf(done + 1, all))),
        ]);
        setSheet(() => (prose: Prose) => <Key Prose={prose} verdicts={verdicts} {...parts} />);
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      setMessage(PRINT.couldNotBeMade(print, reason));
      setMaking(false);
    }
  };
  return { sheet, message, isMaking, make: (print) => void make(print) };
}

/** Prints the handout, or the key with the answers. */
export function PrintButton({ paper: { isMaking, make, message } }: { paper: Paper }) {
  return (
    <p className="on-paper">
      <button type="button" className="btn line" {...actsWhen(!isMaking, () => make("handout"))}>
        {PRINT.printHandout}
      </button>
      <button type="button" className="btn line" {...actsWhen(!isMaking, () => make("key"))}>
        {PRINT.printKey}
      </button>
      <span role="status">{message || PRINT.atMostFourPages}</span>
    </p>
  );
}
