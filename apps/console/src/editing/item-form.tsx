import { type ContentField, contentProblem, type FieldType, type ItemContent } from "@platform-rpc/items/item-content";
import { useAsName } from "@platform-rpc/items/item-use";
import { fieldsOfKind, isVisible, titleOf } from "@platform-rpc/items/kind-fields";
import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { isFilled } from "../detail/fields.js";
import { ErrorMessage } from "../elements/error-message.js";
import { Icon } from "../elements/icon.js";
import { Menu } from "../elements/menu.js";
import { tagsIn } from "../items/tags.js";
import { FieldEditor } from "./field-editor.js";
import { TextControl } from "./text-control.js";
import { lacksName } from "./use-as-editor.js";

interface ItemFormProps {
  readonly kind: string;
  readonly content: ItemContent;
  readonly onChange: (content: ItemContent) => void;
  readonly busy: boolean;
  readonly error: unknown;
  readonly onSave: () => void;
  readonly onDiscard: () => void;
  /** What is chosen besides the content, such as the vault of a new item. */
  readonly children?: ReactNode;
}

const addable: readonly (readonly [type: FieldType, label: string])[] = [
  ["text", "Text"],
  ["secret", "Hidden text"],
  ["url", "Website"],
  ["totp", "One-time code"],
  ["note", "Note"],
  ["file", "File"],
];

/** The kinds of items that agents use. */
const usedKinds: readonly string[] = ["login", "api_key"];

/** A field while it is written: a key of its own tells fields with equal names apart. */
interface Edited {
  readonly key: number;
  readonly field: ContentField;
  /** Whether the person chooses its name. It stays so, whatever they type. */
  readonly named: boolean;
  /** Why a content of the field was refused. */
  readonly refused?: string | undefined;
}

const addMenu = "add-field-menu";

interface Problem {
  readonly words: string;
  readonly at?: string;
}

export function ItemForm(props: ItemFormProps) {
  const { kind, content, onChange, busy, error, onSave, onDiscard, children } = props;
  const id = useId();
  const [edited, setEdited] = useState(() => editedFields(kind, content.fields));
  const [problem, setProblem] = useState<Problem>();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLElement>("input, textarea")?.focus(), []);
  // Another object for each field that is added or removed: their ids are used again.
  const [next, setNext] = useState<{ readonly id: string }>();
  useEffect(() => document.getElementById(next?.id ?? "")?.focus(), [next]);
  const proposed = titleOf(kind, { ...content, title: "" });
  const change = (changed: ItemContent) => {
    setProblem(undefined);
    onChange(changed);
  };
  const set = (fields: readonly Edited[]) => {
    setEdited(fields);
    change({ ...content, fields: fields.map(({ field }) => field) });
  };
  const add = (type: FieldType, name: string) => {
    const key = Math.max(-1, ...edited.map((each) => each.key)) + 1;
    const named = name !== useAsName;
    set([...edited, { key, field: { name, type, value: "" }, named }]);
    setNext({ id: named ? `${id}-${key}-name` : `${id}-${key}` });
  };
  const remove = (key: number, neighbour: Edited | undefined) => {
    set(edited.filter((each) => each.key !== key));
    setNext({ id: `${id}-${neighbour?.key ?? "add"}` });
  };
  const problemOf = (form: HTMLFormElement): Problem | undefined => {
    const refused = edited.find((each) => each.refused !== undefined);
    if (refused?.refused) return { words: refused.refused, at: `${id}-${refused.key}` };
    // Only the browser knows what was typed into a date that is not complete.
    const incomplete = form.querySelector<HTMLInputElement>("input:invalid");
    if (incomplete) return { words: "This date is not complete.", at: incomplete.id };
    const unnamed = edited.find(
      ({ field, named }) => !named && field.name === useAsName && lacksName(kind, field.value),
    );
    if (unnamed) {
      return {
        words: "Enter the name of a header or query parameter that agents may set.",
        at: `${id}-${unnamed.key}-name`,
      };
    }
    if (!isVisible(content.title) && !content.fields.some(isFilled)) {
      return { words: "Nothing is filled in yet.", at: `${id}-title` };
    }
    const words = contentProblem(content);
    return words === undefined ? undefined : { words };
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const found = problemOf(event.currentTarget);
    setProblem(found);
    if (found === undefined) onSave();
    if (found?.at !== undefined) document.getElementById(found.at)?.focus();
  };
  const fieldsIn = (section: ReturnType<typeof sectionOf>) =>
    edited
      .filter((each) => sectionOf(each) === section)
      .map(({ key, field, named, refused }, at, shown) => (
        <FieldEditor
          key={key}
          id={`${id}-${key}`}
          kind={kind}
          field={field}
          named={named}
          refused={refused}
          onChange={(changes, reason) =>
            set(
              edited.map((each) =>
                each.key === key ? { ...each, field: { ...each.field, ...changes }, refused: reason } : each,
              ),
            )
          }
          onRemove={() => remove(key, shown[at + 1] ?? shown[at - 1])}
        />
      ));
  return (
    <form className="item-form" ref={form} onSubmit={submit} noValidate>
      {/* The title is derived from it. */}
      {fieldsIn("website")}
      <label htmlFor={`${id}-title`}>Title</label>
      <TextControl
        id={`${id}-title`}
        dir="auto"
        spellCheck
        placeholder={proposed}
        aria-describedby={`${id}-proposed`}
        value={content.title}
        onChange={(title) => change({ ...content, title })}
      />
      <p className="hint" id={`${id}-proposed`}>
        {!isVisible(content.title) && `Without a title, it is saved as “${proposed}”.`}
      </p>
      {children}
      {fieldsIn("own")}
      <section className="form-section" aria-label="More fields">
        {fieldsIn("added")}
        <button type="button" id={`${id}-add`} popoverTarget={addMenu}>
          <Icon name="plus" />
          Add field
        </button>
        <Menu id={addMenu}>
          {addable.map(([type, label]) => (
            <button key={type} type="button" className="quiet" onClick={() => add(type, label)}>
              {label}
            </button>
          ))}
          {usedKinds.includes(kind) && !edited.some(({ field }) => field.name === useAsName) && (
            <button type="button" className="quiet" onClick={() => add("text", useAsName)}>
              Use as
            </button>
          )}
        </Menu>
      </section>
      <section className="form-section" aria-label="Notes and tags">
        {fieldsIn("notes")}
        <label htmlFor={`${id}-tags`}>Tags</label>
        <Tags id={`${id}-tags`} tags={content.tags ?? []} onTags={(tags) => change({ ...content, tags })} />
        <label className="choice">
          <input
            type="checkbox"
            checked={content.favourite === true}
            onChange={({ target }) => {
              const { favourite: _, ...others } = content;
              change(target.checked ? { ...others, favourite: true } : others);
            }}
          />
          Favourite: at the top of the list
        </label>
      </section>
      <p className="hint">Only you can read what you write here.</p>
      <div className="form-foot">
        <p className="error" role="alert">
          {problem?.words}
        </p>
        <ErrorMessage error={error} />
        <div className="actions">
          <button type="button" className="quiet" onClick={onDiscard}>
            Discard
          </button>
          <button type="submit" data-change className="primary" disabled={busy}>
            {busy ? "Saving…" : "Save"}
          </button>
        </div>
      </div>
    </form>
  );
}

/** The part of the form in which a field is. It is stored in the place that it had. */
function sectionOf({ field: { name }, named }: Edited): "website" | "own" | "added" | "notes" {
  if (named || name === useAsName) return "added";
  return name === "website" || name === "notes" ? name : "own";
}

/** The fields that items of the kind can have are not named by the person, each once. */
function editedFields(kind: string, fields: readonly ContentField[]): readonly Edited[] {
  const left = new Set([...fieldsOfKind(kind).map(({ name }) => name), useAsName]);
  return fields.map((field, key) => ({ key, field, named: !left.delete(field.name) }));
}

interface TagsProps {
  readonly id: string;
  readonly tags: readonly string[];
  readonly onTags: (tags: readonly string[]) => void;
}

function Tags({ id, tags, onTags }: TagsProps) {
  // What was typed: a comma at the end would be lost in a list of tags.
  const [typed, setTyped] = useState(tags.join(", "));
  return (
    <TextControl
      id={id}
      dir="auto"
      placeholder="Separated by commas"
      value={typed}
      onChange={(text) => {
        setTyped(text);
        onTags(tagsIn(text));
      }}
    />
  );
}
