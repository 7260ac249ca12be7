import "./embed.css";
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
  return (
    <header className="embed-head">
      <div className="embed-bar">
        {children}
        <span className="sp" />
        <a className="btn tiny line" href={href} target="_blank" rel="noopener">
          <Logo />
          Open in mmscope
        </a>
      </div>
      {faults.length > 0 && (
        <ul className="embed-faults" role="status" aria-label="What this frame was asked for">
          {faults.map((fault) => (
            <li key={fault}>{fault}</li>
          ))}
        </ul>
      )}
    </header>
  );
}
