import { type ReactNode, useId, useState } from "react";
import { type FieldInfo, fieldText, inWords, parsed } from "./fields";
import { useForm, usePlace } from "./form";
import { at, type Path } from "./tree";
import { FORM_FIELD } from "./words";

/** A field of the machine or the workload. Its explanation appears next to it, unless `helpId` names a shared one. */
export function FormField({
  info,
  path,
  helpId,
}: {
  info: FieldInfo;
  path: Path;
  /** Id of the explanation, if one text explains many fields. */
  helpId?: string | undefined;
}) {
  const { page_bytes, tree } = useForm();
  const { fault, set } = usePlace(path);
  const value = at(tree, path);
  const field = { info, value: fieldText(info, value), fault, told: helpId };
  const typed = (text: string) => parsed(info, text, page_bytes);
  if (info.as.kind === "flag" || info.as.kind === "choice") {
    return <FormChoice {...field} set={(text) => set(typed(text))} />;
  }
  const isSame = (text: string) => JSON.stringify(typed(text)) === JSON.stringify(value);
  return (
    <FormText
      {...field}
      isSame={isSame}
      words={inWords(info, value, page_bytes)}
      set={(text) => set(typed(text))}
    />
  );
}

/** A field outside of parts; it stores the text as typed. */
export function LooseField(field: OneProps) {
  const { info, value } = field;
  if (info.as.kind === "flag" || info.as.kind === "choice") return <FormChoice {...field} />;
  return <FormText {...field} isSame={(text) => text === value} words="" />;
}

/** Several fields, side by side if there is space. */
export function FormFields({
  infos,
  path,
  helpId,
}: {
  infos: readonly FieldInfo[];
  path: Path;
  /** Id of the `Told` that explains them. */
  helpId?: string;
}) {
  return (
    <div className="option-fields">
      {infos.map((info) => (
        <FormField
          key={info.name}
          info={info}
          path={[...path, info.name]}
          helpId={helpId && sharedHelpId(helpId, infos, info)}
        />
      ))}
    </div>
  );
}

/** The explanations of a list's fields, shown once for all of its items. */
export function SharedHelp({ id, infos }: { id: string; infos: readonly FieldInfo[] }) {
  const different = infos.filter(({ about }, i) => infos.findIndex(sameAs(about)) === i);
  return different.map((info) => (
    <p key={info.name} className="form-help" id={sharedHelpId(id, infos, info)}>
      {different.length > 1 && <b>{info.title}. </b>}
      {info.about}
    </p>
  ));
}

const sameAs = (words: string) => (info: FieldInfo) => info.about === words;
const sharedHelpId = (id: string, infos: readonly FieldInfo[], { about }: FieldInfo) =>
  `${id}-${infos.findIndex(sameAs(about))}`;

interface OneProps {
  readonly info: FieldInfo;
  readonly value: string;
  readonly fault: string | undefined;
  /** Id of the explanation, if it is not next to the field. */
  readonly helpId?: string | undefined;
  readonly set: (text: string) => void;
}

/** Ids of a field's descriptions: the one next to it, then the shared one. */
const describedBy = (id: string, helpId: string | undefined) =>
  helpId ? `${id}-about ${helpId}` : `${id}-about`;

function Labelled({
  id,
  info,
  fault,
  helpId,
  words,
  children,
}: Pick<OneProps, "info" | "fault" | "helpId"> & {
  id: string;
  words?: string;
  children: ReactNode;
}) {
  return (
    <div className="option">
      <label htmlFor={id}>{info.title}</label>
      {children}
      <p id={`${id}-about`} className={fault ? "fault" : undefined}>
        {fault ?? (
          <>
            {words && <b>{helpId ? words : `${words}. `}</b>}
            {!helpId && info.about}
          </>
        )}
      </p>
    </div>
  );
}

/**
 * The text stays as typed until the field loses the focus: "1 GiB" is not a number of pages while
 * its unit is incomplete.
 */
function FormText({
  info,
  value,
  fault,
  isSame,
  helpId,
  words,
  set,
}: OneProps & { isSame: (text: string) => boolean; words: string }) {
  const id = useId();
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <Labelled id={id} info={info} fault={fault} helpId={helpId} words={words}>
      <input
        id={id}
        className="field"
        data-part={info.name}
        value={typed !== null && isSame(typed) ? typed : value}
        placeholder={info.usual}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={fault !== undefined}
        aria-describedby={describedBy(id, helpId)}
        onBlur={() => setTyped(null)}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          set(event.currentTarget.value);
        }}
      />
    </Labelled>
  );
}

function FormChoice({ info, value, fault, helpId, set }: OneProps) {
  const id = useId();
  const { as, usual } = info;
  const choices: (readonly [string, string])[] =
    as.kind === "flag"
      ? [
          ["yes", as.yes],
          ["no", as.no],
        ]
      : as.kind === "choice"
        ? as.of.map(([one, means]) => [String(one), means])
        : [];
  const isKnown = value === "" ? usual !== undefined : choices.some(([one]) => one === value);
  return (
    <Labelled id={id} info={info} fault={fault} helpId={helpId}>
      <select
        id={id}
        className="field"
        data-part={info.name}
        value={value}
        aria-invalid={fault !== undefined}
        aria-describedby={describedBy(id, helpId)}
        onChange={(event) => set(event.currentTarget.value)}
      >
        {!isKnown && <option value={value}>{value}</option>}
        {usual !== undefined && <option value="">{FORM_FIELD.usualDefault(usual)}</option>}
        {choices.map(([one, means]) => (
          <option key={one} value={one}>
            {means}
          </option>
        ))}
      </select>
    </Labelled>
  );
}
