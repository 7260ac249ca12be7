// The greeting run, told to somebody who has never heard of zones.

import { useEffect, useState } from "react";
import { useWorkbench, useWorkbenchState } from "../../app/context";
import { isPlain, plainly } from "../../story/plain";
import type { Moment, MomentKind } from "../../story/telling";

/** What the page tells just now, and where its last decision was. */
export interface HomeStory {
  readonly words: string | null;
  /** The step of the last moment that decided something. */
  readonly decision: number | null;
}

const NOTHING: HomeStory = { words: null, decision: null };

/** Tells what is played in plain words. */
export function useHomeStory(): HomeStory {
  const workbench = useWorkbench();
  const info = useWorkbenchState((state) => state.session?.info);
  const [story, setStory] = useState(NOTHING);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another run begins its story anew
  useEffect(() => {
    const told = new Set<MomentKind>();
    setStory(NOTHING);
    const tell = (moment: Moment): string => {
      const words = plainly(moment, !told.has(moment.kind)) ?? "";
      told.add(moment.kind);
      // Asleep nobody decides anything.
      const isDecision = moment.kind !== "kswapd asleep";
      setStory(({ decision }) => ({ words, decision: isDecision ? moment.step : decision }));
      return words;
    };
    workbench.story.player.tellAs({ tell, isTold: (moment) => isPlain(moment, told) });
    return () => workbench.story.player.tellAs(null);
  }, [workbench, info]);
  return story;
}
