import type { ReactNode } from "react";
import { Icon } from "../../ui/icons";
import { isFaulty } from "./faults";
import { useForm, usePlace } from "./form";
import { at, itemsOf, type Json, moved, type Path, pathText, type Tree, withAt } from "./tree";

/** What moves an item of a list among the others, and takes it away. */
export function ItemTools({
  path,
  words,
  canMove = true,
  remove,
}: {
  /** Place of the item: its last part is its number in the list. */
  path: Path;
  /** What the item is called, for who hears the buttons. */
  words: string;
  canMove?: boolean;
  /** Takes it away, where that is more than leaving it out of its list. */
  remove?: (tree: Tree) => Tree;
}) {
  const { base, tree, edit, renumber, focus } = useForm();
  const list = path.slice(0, -1);
  const index = path.at(-1);
  if (typeof index !== "number") return null;
  const { length } = itemsOf(at(tree, list));
  const listText = pathText([base, ...list]);
  const textOf = (i: number) => `${listText}[${i}]`;
  const move = (by: -1 | 1) => {
    const to = index + by;
    edit((whole) => {
      const items = itemsOf(at(whole, list));
      return withAt(whole, list, moved(items, index, by) as Json) as Tree;
    });
    renumber(listText, (i) => (i === index ? to : i === to ? index : i));
    focus(textOf(to), by < 0 ? "up" : "down");
  };
  return (
    <span className="item-tools">
      {canMove && (
        <>
          <button
            type="button"
            className="btn icon"
            data-part="up"
            disabled={index === 0}
            aria-label={`Move up: ${words}`}
            onClick={() => move(-1)}
          >
            ↑
          </button>
          <button
            type="button"
            className="btn icon"
            data-part="down"
            disabled={index >= length - 1}
            aria-label={`Move down: ${words}`}
            onClick={() => move(1)}
          >
            ↓
          </button>
        </>
      )}
      <button
        type="button"
        className="btn icon"
        data-part="remove"
        aria-label={`Take away: ${words}`}
        onClick={() => {
          edit(remove ?? ((whole) => withAt(whole, path, undefined) as Tree));
          renumber(listText, (i) => (i === index ? null : i > index ? i - 1 : i));
          if (length > 1) focus(textOf(Math.min(index, length - 2)), "remove");
          else focus(listText, "add");
        }}
      >
        <Icon name="cross" />
      </button>
    </span>
  );
}

/** A part that unfolds, with its tools; open while something in it is wrong. */
export function Item({
  path,
  title,
  note,
  tools,
  isFaultyInside,
  children,
  after,
}: {
  path: Path;
  title: string;
  /** What of it stands beside its title. */
  note?: string;
  tools?: ReactNode;
  /** Is something wrong in what unfolds? Else: anywhere in it. */
  isFaultyInside?: boolean;
  children: ReactNode;
  /** What stays in sight while the part is folded. */
  after?: ReactNode;
}) {
  const { open, fold, faults } = useForm();
  const { text, fault } = usePlace(path);
  const isOpen = open.has(text) || (isFaultyInside ?? isFaulty(faults, text));
  return (
    <li className="item" data-at={text}>
      <div className="item-head">
        <button
          type="button"
          className="item-fold"
          data-part="fold"
          aria-expanded={isOpen}
          onClick={() => fold(text, !isOpen)}
        >
          <Icon name="down" />
          <span>{title}</span>
        </button>
        {note && <span className="cap">{note}</span>}
        {tools}
      </div>
      {fault && <p className="fault">{fault}</p>}
      {isOpen && <div className="item-inside">{children}</div>}
      {after}
    </li>
  );
}

/** A part that is always in sight, with its tools. */
export function FlatItem({
  path,
  title,
  note,
  tools,
  children,
}: {
  path: Path;
  title: string;
  /** What of it stands beside its title. */
  note: string;
  tools: ReactNode;
  children: ReactNode;
}) {
  const { text, fault } = usePlace(path);
  return (
    <li className="item item-flat" data-at={text}>
      <div className="item-head">
        <span>{title}</span>
        <span className="cap">{note}</span>
        {tools}
      </div>
      {fault && <p className="fault">{fault}</p>}
      {children}
    </li>
  );
}

/** What adds an item to a list. */
export function AddItem({
  list,
  words,
  add,
  part = "fold",
  index,
}: {
  list: Path;
  /** Where in the list it will stand; else at the end. */
  index?: number;
  words: string;
  add: (tree: Tree) => Tree;
  /** What of the new item gets the focus. */
  part?: string;
}) {
  const { base, tree, edit, fold, focus } = useForm();
  const place = pathText([base, ...list, index ?? itemsOf(at(tree, list)).length]);
  return (
    <button
      type="button"
      className="btn line tiny"
      data-part="add"
      onClick={() => {
        edit(add);
        fold(place, true);
        focus(place, part);
      }}
    >
      {words}
    </button>
  );
}
