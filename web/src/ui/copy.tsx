import { useRef, useState } from "react";
import { Icon } from "./icons";
import { COPY } from "./words";

/** Whether a text reached the clipboard. */
type Copied = "no" | "yes" | "denied";

/**
 * Copies a text and reports it. Where the clipboard is denied, it selects the element with
 * `source`, so that the keyboard can copy the text.
 */
export function CopyButton({
  text,
  source,
  label,
  isFirst = false,
}: {
  text: string;
  source: string;
  label: string;
  /** This button is the main action of its dialog. */
  isFirst?: boolean;
}) {
  const [copied, setCopied] = useState<{ of: string; state: Copied }>({ of: "", state: "no" });
  const status = useRef<HTMLSpanElement>(null);
  const state = copied.of === text ? copied.state : "no";

  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied({ of: text, state: "yes" });
    } catch {
      select(source);
      setCopied({ of: text, state: "denied" });
    }
  };
  return (
    <span className="copy">
      <button
        type="button"
        className={isFirst ? "btn solid" : "btn line"}
        data-focus={isFirst || undefined}
        onClick={copy}
      >
        {state === "yes" && <Icon name="check" />}
        {label}
      </button>
      <span ref={status} role="status" className="cap">
        {state === "yes" && COPY.copied}
        {state === "denied" && COPY.browserDeniesAccess}
      </span>
    </span>
  );
}

function select(id: string): void {
  const element = document.getElementById(id);
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
    element.focus();
    element.select();
  } else if (element) {
    getSelection()?.selectAllChildren(element);
  }
}
