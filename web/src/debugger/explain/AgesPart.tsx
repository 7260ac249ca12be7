import { useRef } from "react";
import { count, duration, zoneWords } from "../../engine/format";
import { Name } from "../../ui/lit";
import { RichText } from "../../ui/rich-text";
import { Ages, CLASSES_NS, type ZoneAges } from "./ages";
import type { PartProps } from "./ExplainPanel";
import { SoFar } from "./SoFar";
import { addAges, type SearchContext } from "./search";
import { AGES_PART } from "./words";

/** The classes in words: "under 1 ms", "to 10 ms", ..., "older". */
const CLASS_WORDS = [
  ...CLASSES_NS.map((end, i) => `${i === 0 ? "under" : "up to"} ${duration(end)}`),
  "older",
];

/** The ages at which reclaim freed pages, by zone, over the run so far. */
export function AgesPart(props: PartProps) {
  const { zones } = props.frame.view;
  // The sum is extended from the last step that it covers; a step back starts anew.
  const known = useRef<{ ages: Ages; step: number } | null>(null);
  const add = async (looking: SearchContext, step: number) => {
    const before = known.current;
    known.current = null;
    const from = before && before.step <= step ? before : { ages: new Ages(zones), step: 0 };
    await addAges(looking, from.ages, from.step, step);
    known.current = { ages: from.ages, step };
    return from.ages.zones;
  };
  return (
    <SoFar {...props} about={AGES_PART.findAges} ask={AGES_PART.findThem} add={add}>
      {(found, step) => <Table zones={found} step={step} />}
    </SoFar>
  );
}

function Table({ zones, step }: { zones: readonly ZoneAges[]; step: number }) {
  const some = zones.filter(({ pages }) => pages > 0);
  if (some.length === 0) return <p className="else">{AGES_PART.reclaimHasFreed}</p>;
  return (
    <>
      <p className="about">{AGES_PART.fromBootToAge(step)}</p>
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
  /** The classes that are shown, the same for all zones. */
  span: readonly [number, number];
}) {
  const most = Math.max(...classes);
  return (
    <table className="ages">
      <caption>
        <RichText
          text={AGES_PART.freedMedianAge(pages, median_ns)}
          parts={{ key: <Name k={`zone ${key}`}>{zoneWords(key)}</Name> }}
        />
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
