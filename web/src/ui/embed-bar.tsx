import "./embed.css";
import { useEffect } from "react";
import { Logo } from "./icons";
import { EMBED_BAR } from "./words";

/**
 * The header of an embedded page: its title, a link out of the frame, and the parts of the request
 * that cannot be shown.
 */
export function EmbedBar({
  href,
  faults,
  children,
}: {
  /** The address of the same content as a full page; null if there is none. */
  href: string | null;
  faults: readonly string[];
  children: React.ReactNode;
}) {
  useWaysOut();
  return (
    <header className="embed-head">
      <div className="embed-bar">
        {children}
        {href !== null && (
          <a className="btn tiny line" href={href} target="_blank" rel="noopener">
            <Logo />
            {EMBED_BAR.openInMmscope}
          </a>
        )}
      </div>
      {faults.length > 0 && (
        <div
          className="embed-faults"
          role="status"
          aria-label={EMBED_BAR.invalidSettingsOfThisFrame}
        >
          {faults.map((fault) => (
            <p key={fault}>{fault}</p>
          ))}
        </div>
      )}
    </header>
  );
}

/**
 * Opens every link to another page of ours outside the frame. Inside it, that page would be a full
 * page, which saves the reader's work.
 */
function useWaysOut(): void {
  useEffect(() => {
    const lead = (event: MouseEvent) => {
      const link = event.target instanceof Element && event.target.closest('a[href^="#/"]');
      if (!(link instanceof HTMLAnchorElement)) return;
      link.target = "_blank";
      link.rel = "noopener";
      // Otherwise the page's own link handler would follow the link inside the frame.
      event.stopPropagation();
    };
    addEventListener("click", lead, { capture: true });
    return () => removeEventListener("click", lead, { capture: true });
  }, []);
}
