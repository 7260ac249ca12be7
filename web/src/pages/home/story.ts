// Sentences about the home page's run, for readers who do not know zones.

import { useEffect, useState } from "react";
import { useWorkbench, useWorkbenchState } from "../../app/context";
import { isPlain, plainly } from "../../story/plain";
import type { Moment, MomentKind } from "../../story/telling";

/** The present sentence, and the position of the last decision. */
export interface HomeStory {
  readonly words: string | null;
  /** The step of the last moment with a decision. */
  readonly decision: number | null;
}

const NOTHING: HomeStory = { words: null, decision: null };

/** Describes the run in plain words while it plays. */
export function useHomeStory(): HomeStory {
  const workbench = useWorkbench();
  const info = useWorkbenchState((state) => state.session?.info);
  const [story, setStory] = useState(NOTHING);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another run needs a new story
  useEffect(() => {
    const seen = new Set<MomentKind>();
    setStory(NOTHING);
    const tell = (moment: Moment): string => {
      const words = plainly(moment, !seen.has(moment.kind)) ?? "";
      seen.add(moment.kind);
      // While kswapd falls asleep, it makes no decision.
      const isDecision = moment.kind !== "kswapd asleep";
      setStory(({ decision }) => ({ words, decision: isDecision ? moment.step : decision }));
      return words;
    };
    workbench.story.player.tellAs({ tell, isShown: (moment) => isPlain(moment, seen) });
    return () => workbench.story.player.tellAs(null);
  }, [workbench, info]);
  return story;
}
