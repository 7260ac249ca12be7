import { useWorkbenchState } from "../app/context";
import type { Session } from "../app/store";
import type { Frame } from "../engine/protocol";
import { useLater } from "../ui/later";
import { useRoom } from "./room";
import { type About, Stage } from "./Stage";

/** Height of the machine on the first page. */
const MACHINE_PX = 635;

/**
 * The machine next to a text. Until its first moment arrives, a placeholder has the same height,
 * which depends on the number of zones of each node. A text may have a subject, such as compaction.
 */
export function TextStage({ zones, about }: { zones?: string; about?: About | undefined }) {
  const session = useWorkbenchState((state) => state.session);
  if (!session?.frame) return <Room zones={zones} about={about} />;
  return <Machine session={session} frame={session.frame} about={about} />;
}

function Machine({
  session,
  frame,
  about,
}: {
  session: Session;
  frame: Frame;
  about: About | undefined;
}) {
  const isRestNow = useLater(true);
  const { info, before, timeline } = session;
  return <Stage {...{ info, before, timeline, frame, isRestNow, about }} isInText />;
}

function Room({ zones, about }: { zones: string | undefined; about: About | undefined }) {
  const { main, machine } = useRoom(2, 3, { outline_px: MACHINE_PX });
  return (
    <section ref={main} className="stage small-stage waits" data-zones={zones} data-about={about}>
      <div ref={machine} className="sk" />
    </section>
  );
}
