import { useEffect, useState, useSyncExternalStore } from "react";
import { useMode, useWorkbench } from "../app/context";
import { Icon } from "../ui/icons";
import type { Newer, News } from "./newer";
import { NEWER_NOTICE } from "./words";

/**
 * Announces a newer version of the page when no run is playing, and immediately reports a part of
 * this version that failed to load.
 */
export function NewerNotice({ newer }: { newer: Newer }) {
  const news = useSyncExternalStore(newer.subscribe, newer.news);
  const workbench = useWorkbench();
  const mode = useMode();
  const [dismissed, dismiss] = useState<News | null>(null);
  const isMissing = news?.kind === "missing";
  // Saves the draft before a reload, by this button or by the browser.
  useEffect(() => {
    if (isMissing) workbench.saving.settle();
  }, [isMissing, workbench]);
  if (!news || news === dismissed) return null;
  if (!isMissing && (mode === "playing" || mode === "seeking")) return null;
  const take = async () => {
    await workbench.saving.beforeReload();
    newer.take();
  };
  return (
    <div className="notice newer" role={isMissing ? "alert" : "status"}>
      <p>{wordsOf(news)}</p>
      <button type="button" className="btn line" onClick={take}>
        {isMissing ? NEWER_NOTICE.reload : NEWER_NOTICE.reloadNow}
      </button>
      <button
        type="button"
        className="btn icon"
        aria-label={NEWER_NOTICE.dismiss}
        onClick={() => dismiss(news)}
      >
        <Icon name="cross" />
      </button>
    </div>
  );
}

function wordsOf(news: News): string {
  if (news.kind === "newer") return NEWER_NOTICE.newer;
  const what = NEWER_NOTICE.notLoaded;
  return news.isReplaced ? NEWER_NOTICE.replaced(what) : NEWER_NOTICE.checkNetwork(what);
}
