import "./embed.css";
import { useEffect } from "react";
import { Logo } from "./icons";

/** The head of a page that stands in another's: what it is, the way out of the frame, and what was
 * asked of it that cannot be. */
export function EmbedBar({
  href,
  faults,
  children,
}: {
  /** The same as a page of its own. */
  href: string;
  faults: readonly string[];
  children: React.ReactNode;
}) {
  useWaysOut();
  return (
    <header className="embed-head">
      <div className="embed-bar">
        {children}
        <a className="btn tiny line" href={href} target="_blank" rel="noopener">
          <Logo />
          Open in mmscope
        </a>
      </div>
      {faults.length > 0 && (
        <div className="embed-faults" role="status" aria-label="Invalid settings of this frame">
          {faults.map((fault) => (
            <p key={fault}>{fault}</p>
          ))}
        </div>
      )}
    </header>
  );
}

/** Whatever leads to another page of ours leads out of the frame: in it, that would be a page of its
 * own, which keeps what is done there as the reader's. */
function useWaysOut(): void {
  useEffect(() => {
    const lead = (event: MouseEvent) => {
      const link = event.target instanceof Element && event.target.closest('a[href^="#/"]');
      if (!(link instanceof HTMLAnchorElement)) return;
      link.target = "_blank";
      link.rel = "noopener";
      // The page's own way would go there in the frame.
      event.stopPropagation();
    };
    addEventListener("click", lead, { capture: true });
    return () => removeEventListener("click", lead, { capture: true });
  }, []);
}
