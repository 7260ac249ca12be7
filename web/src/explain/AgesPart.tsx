import { useRef, useState } from "react";
import { count, duration, zoneWords } from "../draw/format";
import { Name } from "../ui/lit";
import { Ages, CLASSES_NS, type ZoneAges } from "./ages";
import { LookLine } from "./bits";
import type { PartProps } from "./ExplainPanel";
import { useLook } from "./hooks";
import { addAges } from "./look";

/** The classes in words: "under 1 ms", "to 10 ms", ..., "older". */
const CLASS_WORDS = [
  ...CLASSES_NS.map((end, i) => `${i === 0 ? "under" : "to"} ${duration(end)}`),
  "older",
];

/** How old pages were when reclaim freed them, by zone, over the run so far. */
export function AgesPart({ info, frame, log, isPaused }: PartProps) {
  const { view } = frame;
  const { step } = view.position;
  const [isWanted, setWanted] = useState(info.teaching);
  // Ages go on from where they were added up last; a step back begins anew.
  const known = useRef<{ ages: Ages; step: number } | null>(null);
  const key = isPaused && isWanted ? `${step} ${info.experiment}` : null;
  const found = useLook(key, log, async (looking) => {
    const before = known.current;
    known.current = null;
    const from = before && before.step <= step ? before : { ages: new Ages(view.zones), step: 0 };
    await addAges(looking, from.ages, from.step, step);
    known.current = { ages: from.ages, step };
    return { zones: from.ages.zones, step };
  });
  const shown = found.value && found.value.step <= step ? found.value : null;
  return (
    <>
      <LookLine {...found} goOn={found.again}>
        {shown && shown.step !== step && `Added up to #${count(shown.step)} only.`}
      </LookLine>
      {!isWanted && (
        <p className="else">
          The run so far is replayed to find the ages: {duration(view.position.time_ns)} of it.{" "}
          <button type="button" className="btn line tiny" onClick={() => setWanted(true)}>
            Find them
          </button>
        </p>
      )}
      {shown && <Table zones={shown.zones} step={shown.step} />}
    </>
  );
}

function Table({ zones, step }: { zones: readonly ZoneAges[]; step: number }) {
  const some = zones.filter(({ pages }) => pages > 0);
  if (some.length === 0) return <p className="else">Reclaim has freed no page from boot to now.</p>;
  return (
    <>
      <p className="about">
        From boot to #{count(step)}: how long ago each page reclaim freed had been allocated, which
        is when it joined a list of its zone. Virtual time; pages that went with their inode or
        their owner are left out.
      </p>
      {some.map((zone) => (
        <ZoneTable key={zone.key} zone={zone} span={Ages.span(some)} />
      ))}
    </>
  );
}

function ZoneTable({
  zone: { key, pages, classes, median_ns },
  span: [first, last],
}: {
  zone: ZoneAges;
  /** The classes shown: all zones the same ones. */
  span: readonly [number, number];
}) {
  const most = Math.max(...classes);
  return (
    <table className="ages">
      <caption>
        <Name k={`zone ${key}`}>{zoneWords(key)}</Name>: {count(pages)} freed, half of them younger
        than {duration(median_ns)}
      </caption>
      <tbody>
        {CLASS_WORDS.slice(first, last + 1).map((words, i) => {
          const n = classes[first + i] ?? 0;
          return (
            <tr key={words}>
              <th scope="row">{words}</th>
              <td className="share">{n > 0 && <i style={{ width: `${(n / most) * 100}%` }} />}</td>
              <td className="num">{count(n)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
