import "./embed-part.css";
import { useState } from "react";
import {
  CONTROLS,
  type EmbedControl,
  type EmbedTheme,
  FRAME_SIZES,
  frameCode,
  THEMES,
  USUAL_CONTROLS,
} from "../link/embed";
import { urlOf } from "../link/router";
import { CopyButton } from "../ui/copy";

const CONTROL_WORDS: Readonly<Record<EmbedControl, string>> = {
  play: "Play",
  step: "Step",
  back: "Step back",
  ends: "To start and end",
  timeline: "Timeline",
  why: "Why",
};
const THEME_WORDS: Readonly<Record<EmbedTheme, string>> = {
  auto: "as the reader's system",
  light: "light",
  dark: "dark",
};

/** This moment as a frame in a page of one's own: choices, the code, and how it will look. */
export function EmbedPart({ packed, title }: { packed: string; title: string }) {
  const [isOpen, setOpen] = useState(false);
  const [theme, setTheme] = useState<EmbedTheme>("auto");
  const [controls, setControls] = useState<readonly EmbedControl[]>(USUAL_CONTROLS);
  const [size, setSize] = useState(0);
  const embed = { theme, controls, faults: [] };
  const url = urlOf({ page: "workbench", x: packed, embed });
  const frame = FRAME_SIZES[size] ?? FRAME_SIZES[0];
  const code = frameCode(url, title, frame);
  const turn = (control: EmbedControl) =>
    setControls((now) => CONTROLS.filter((one) => now.includes(one) !== (one === control)));
  return (
    <details className="embed-part" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>In a page of your own</summary>
      {isOpen && (
        <>
          <div className="choices">
            <label>
              Size
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
              Theme
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
          <fieldset className="choices">
            <legend>With</legend>
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
          <label htmlFor="embed-code">Code of the frame</label>
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
            <CopyButton text={code} source="embed-code" label="Copy code" />
          </div>
          <iframe
            // What is chosen shows anew: a frame's own address changes nothing the reader keeps.
            key={url}
            src={url}
            title="How the frame looks"
            width={frame.width}
            height={frame.height}
            loading="lazy"
          />
        </>
      )}
    </details>
  );
}
