import { useState } from "react";
import { catalogOf, useRunViewModel, useRunViewState } from "../app/run-view-model";
import { aboutCounter } from "../app/watch";
import { count } from "../engine/format";
import { Dialog } from "../ui/dialog";
import { useAllCounters } from "./hooks";
import { TRACKS } from "./words";

/** The maximum number of counters that a link accepts. */
const MOST = 8;

/** Chooses the counters that are drawn over time. */
export function TracksDialog({ close }: { close: () => void }) {
  const model = useRunViewModel();
  const all = useAllCounters();
  const tracks = useRunViewState((state) => state.tracks);
  const counters = useRunViewState((state) => state.session?.frame?.view.counters);
  const [query, setQuery] = useState("");
  const [isMoved, setMoved] = useState(true);
  const value = (name: string) => counters?.find(([other]) => other === name)?.[1] ?? 0;
  const matching = all.filter(
    (name) =>
      name.includes(query.trim().toLowerCase()) &&
      (!isMoved || value(name) > 0 || tracks.includes(name)),
  );
  const info = useRunViewState((state) => state.session?.info);
  const catalog = useRunViewState(catalogOf);
  return (
    <Dialog title={TRACKS.title} close={close} wide>
      <p className="else">{TRACKS.about(MOST, tracks.length)}</p>
      <div className="tracks-tools">
        <input
          type="search"
          className="field"
          aria-label={TRACKS.find}
          placeholder={TRACKS.findShort}
          value={query}
          onChange={(event) => setQuery(event.currentTarget.value)}
        />
        <label>
          <input
            type="checkbox"
            checked={isMoved}
            onChange={(event) => setMoved(event.currentTarget.checked)}
          />{" "}
          {TRACKS.onlyChanged}
        </label>
      </div>
      <ul className="tracks" aria-label={TRACKS.counters}>
        {matching.map((name) => {
          const isOn = tracks.includes(name);
          return (
            <li key={name}>
              <label>
                <input
                  type="checkbox"
                  checked={isOn}
                  disabled={!isOn && tracks.length >= MOST}
                  onChange={() =>
                    model.keep({
                      tracks: isOn ? tracks.filter((other) => other !== name) : [...tracks, name],
                    })
                  }
                />
                <code>{name}</code>
                <span className="num">{count(value(name))}</span>
              </label>
              <small>{catalog && info && aboutCounter(name, { catalog, info })}</small>
            </li>
          );
        })}
      </ul>
      {matching.length === 0 && <p className="else">{TRACKS.none}</p>}
    </Dialog>
  );
}
