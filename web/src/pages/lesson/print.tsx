// Making a handout: its parts are loaded and its key is run when somebody asks for it.

import { useCallback, useEffect, useState } from "react";
import { actsWhen } from "../../ui/acts";
import { currentTheme } from "../../ui/theme";
import { useLesson } from "./context";
import type { Verdicts } from "./handout/Handout";

/** What is printed. */
type Sheet = Pick<typeof import("./handout/Handout"), "HandoutHead" | "HandoutBody"> & {
  readonly verdicts: Verdicts;
};

/** A lesson's handout. */
export interface Paper {
  /** It stands on the page until it is printed. */
  readonly sheet: Sheet | null;
  /** What is said of the making. */
  readonly said: string;
  readonly isMaking: boolean;
  readonly make: () => void;
  readonly printed: () => void;
}

/**
 * Says while the page is printed as it stands in which theme its maps were painted: printing has the
 * light one, and does not wait until they are painted anew. The style sheet leaves dark ones out.
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

/** Makes handouts of the lesson that is read. */
export function usePaper(): Paper {
  const controller = useLesson();
  const [sheet, setSheet] = useState<Sheet | null>(null);
  const [said, setSaid] = useState("");
  const [isMaking, setMaking] = useState(false);
  const printed = useCallback(() => setSheet(null), []);
  const make = async () => {
    setMaking(true);
    try {
      const [{ HandoutHead, HandoutBody }, verdicts] = await Promise.all([
        import("./handout/Handout"),
        controller.verdicts((done, all) => setSaid(`The key: run ${done + 1} of ${all}.`)),
      ]);
      setSheet({ HandoutHead, HandoutBody, verdicts });
      setSaid("");
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      setSaid(`The handout could not be made: ${reason}`);
    }
    setMaking(false);
  };
  return { sheet, said, isMaking, make: () => void make(), printed };
}

/** Prints a handout: the questions with room to write, and the answers from a new page on. */
export function PrintButton({ paper: { isMaking, make, said } }: { paper: Paper }) {
  return (
    <p className="on-paper">
      <button type="button" className="btn line" {...actsWhen(!isMaking, make)}>
        Print a handout
      </button>
      <span role="status">{said || "With room to write; the answers begin on a new page."}</span>
    </p>
  );
}
