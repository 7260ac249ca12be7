import { Fragment, type ReactNode } from "react";
import { Icon } from "../../ui/icons";
import { isRefused } from "./field-refusals";
import { useForm, usePlace } from "./form";
import { at, itemsOf, type Json, moved, type Path, pathText, type Tree, withAt } from "./tree";
import { LIST_PARTS } from "./words";

/** Buttons that move an item within its list and remove it. */
export function ItemTools({
  path,
  words,
  canMove = true,
  remove,
}: {
  /** Path of the item: its last element is the index in the list. */
  path: Path;
  /** The name of the item, used in the accessible names of the buttons. */
  words: string;
  canMove?: boolean;
  /** Removes the item, if more than its entry in the list must change. */
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
            aria-label={LIST_PARTS.moveUp(words)}
            onClick={() => move(-1)}
          >
            ↑
          </button>
          <button
            type="button"
            className="btn icon"
            data-part="down"
            disabled={index >= length - 1}
            aria-label={LIST_PARTS.moveDown(words)}
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
        aria-label={LIST_PARTS.remove(words)}
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

/** A part that unfolds, with its tools; it is open while it contains an error. */
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
  /** A note next to the title. */
  note?: string;
  tools?: ReactNode;
  /** Is there an error in the unfolded content? Default: an error anywhere in the part. */
  isFaultyInside?: boolean;
  children: ReactNode;
  /** Content that stays visible while the part is folded. */
  after?: ReactNode;
}) {
  const { open, fold, faults } = useForm();
  const { text, fault } = usePlace(path);
  const isOpen = open.has(text) || (isFaultyInside ?? isRefused(faults, text));
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

/** A part that cannot be folded, with its tools. */
export function FlatItem({
  path,
  title,
  note,
  tools,
  children,
}: {
  path: Path;
  title: string;
  /** A note next to its title. */
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

/** A list of the part, and a button that adds an item to it. */
export function Items({
  list,
  className = "items",
  item,
  add,
}: {
  list: Path;
  className?: string;
  item: (value: Json, path: Path, index: number) => ReactNode;
  /** Null if no item can be added. */
  add: Omit<AddProps, "list"> | null;
}) {
  const { base, tree } = useForm();
  return (
    <ol className={className} data-at={pathText([base, ...list])}>
      {itemsOf(at(tree, list)).map((value, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an item is identified by its place
        <Fragment key={i}>{item(value, [...list, i], i)}</Fragment>
      ))}
      {add && (
        <li className="adds">
          <AddItem list={list} {...add} />
        </li>
      )}
    </ol>
  );
}

interface AddProps {
  readonly list: Path;
  /** The index of the new item; default: the end. */
  readonly index?: number;
  readonly words: string;
  readonly add: (tree: Tree) => Tree;
  /** The part of the new item that gets the focus; default: the button that folds it. */
  readonly part?: string;
}

/** A button that adds an item to a list. */
function AddItem({ list, words, add, part = "fold", index }: AddProps) {
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
