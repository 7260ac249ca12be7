import "./embed-part.css";
import { useRef, useState } from "react";
import {
  CONTROLS,
  type Embed,
  type EmbedControl,
  type EmbedTheme,
  FRAME_SIZES,
  type FrameSize,
  frameCode,
  THEMES,
  USUAL_CONTROLS,
} from "../link/embed";
import { type Address, urlOf } from "../link/router";
import { CopyButton } from "../ui/copy";
import { useLaidOut } from "../ui/laid-out";
import { EMBED_PART } from "./words";

const CONTROL_WORDS: Readonly<Record<EmbedControl, string>> = {
  play: EMBED_PART.play,
  step: EMBED_PART.step,
  back: EMBED_PART.stepBack,
  ends: EMBED_PART.toStartAndEnd,
  timeline: EMBED_PART.timeline,
  why: EMBED_PART.why,
};
const THEME_WORDS: Readonly<Record<EmbedTheme, string>> = {
  auto: EMBED_PART.asReadersSystem,
  light: EMBED_PART.light,
  dark: EMBED_PART.dark,
};

/** Escape inside the preview also closes the dialog; the preview is one of our own pages. */
function escapes(frame: HTMLIFrameElement): void {
  frame.contentWindow?.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape") return;
    frame.closest("dialog")?.dispatchEvent(new Event("cancel", { cancelable: true }));
  });
}

/** A preview of the frame, scaled down if the dialog has too little space. */
function Preview({ url, frame: { width, height } }: { url: string; frame: FrameSize }) {
  const box = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState(0);
  useLaidOut(box, ({ clientWidth }) => setRoom(clientWidth));
  const asked_px = width === "100%" ? room : Number(width);
  const scale = room > 0 ? Math.min(1, room / asked_px) : 1;
  return (
    <div ref={box} className="preview" style={{ height: Number(height) * scale + 2 }}>
      {room > 0 && (
        <iframe
          // A changed choice reloads the preview.
          key={url}
          src={url}
          title={EMBED_PART.previewOfFrame}
          width={asked_px}
          height={height}
          loading="lazy"
          onLoad={(event) => escapes(event.currentTarget)}
          style={{ transform: `scale(${scale})` }}
        />
      )}
    </div>
  );
}

/** The kinds of embedded pages. */
interface Framed {
  readonly addressOf: (embed: Embed) => Address;
  readonly title: string;
  /** The index in {@link FRAME_SIZES} that is chosen first. */
  readonly size?: number;
  /** For a stage the user chooses the controls; a lesson and a report have their own. */
  readonly hasControls?: boolean;
}

/** Code for a frame in another site: choices, the code, and a preview. */
export function EmbedPart({ addressOf, title, size: first = 0, hasControls = false }: Framed) {
  const [isOpen, setOpen] = useState(false);
  const [theme, setTheme] = useState<EmbedTheme>("auto");
  const [controls, setControls] = useState<readonly EmbedControl[]>(USUAL_CONTROLS);
  const [size, setSize] = useState(first);
  const url = urlOf(addressOf({ theme, controls, faults: [] }));
  const frame = FRAME_SIZES[size] ?? FRAME_SIZES[0];
  const code = frameCode(url, title, frame);
  const turn = (control: EmbedControl) =>
    setControls((now) => CONTROLS.filter((one) => now.includes(one) !== (one === control)));
  return (
    <details className="embed-part" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{EMBED_PART.inYourOwnPage}</summary>
      {isOpen && (
        <>
          <div className="choices">
            <label>
              {EMBED_PART.size}
              <select
                className="field"
                value={size}
                onChange={(event) => setSize(Number(event.currentTarget.value))}
              >
                {FRAME_SIZES.map(({ words }, i) => (
                  <option key={words} value={i}>
                    {words}
                  </option>
                ))}
              </select>
            </label>
            <label>
              {EMBED_PART.theme}
              <select
                className="field"
                value={theme}
                onChange={(event) => {
                  const { value } = event.currentTarget;
                  setTheme(THEMES.find((one) => one === value) ?? "auto");
                }}
              >
                {THEMES.map((one) => (
                  <option key={one} value={one}>
                    {THEME_WORDS[one]}
                  </option>
                ))}
              </select>
            </label>
          </div>
          {hasControls && <ControlChoices controls={controls} turn={turn} />}
          <label htmlFor="embed-code">{EMBED_PART.htmlCodeOfFrame}</label>
          <textarea
            id="embed-code"
            className="field"
            readOnly
            spellCheck={false}
            rows={3}
            value={code}
            onFocus={(event) => event.currentTarget.select()}
          />
          <div className="copy">
            <CopyButton text={code} source="embed-code" label={EMBED_PART.copyCode} />
          </div>
          <Preview url={url} frame={frame} />
        </>
      )}
    </details>
  );
}

/** The controls below a stage. */
function ControlChoices({
  controls,
  turn,
}: {
  controls: readonly EmbedControl[];
  turn: (control: EmbedControl) => void;
}) {
  return (
    <fieldset className="choices">
      <legend>{EMBED_PART.withWords}</legend>
      {CONTROLS.map((control) => (
        <label key={control}>
          <input
            type="checkbox"
            checked={controls.includes(control)}
            onChange={() => turn(control)}
          />
          {CONTROL_WORDS[control]}
        </label>
      ))}
    </fieldset>
  );
}
