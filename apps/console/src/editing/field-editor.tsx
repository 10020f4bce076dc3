import { encodeBase64url } from "@platform-rpc/items/base64url";
import type { ContentField } from "@platform-rpc/items/item-content";
import { useAsName } from "@platform-rpc/items/item-use";
import { labelOf } from "@platform-rpc/items/kind-fields";
import { parseOneTimeSecret } from "@platform-rpc/items/one-time-code";
import { Suspense, useEffect, useRef, useState } from "react";
import { ShowButton } from "../detail/field.js";
import { Icon } from "../elements/icon.js";
import { IconButton } from "../elements/icon-button.js";
import { lazyPart } from "../elements/part-boundary.js";
import { StrengthHint } from "../strength/strength-hint.js";
import { QrField } from "./qr-field.js";
import { TextControl } from "./text-control.js";
import { UseAsEditor } from "./use-as-editor.js";

const GeneratorPanel = lazyPart(async () => (await import("./generator-panel.js")).GeneratorPanel);

interface FieldEditorProps {
  readonly id: string;
  readonly kind: string;
  readonly field: ContentField;
  /** Whether the person can choose its name: it is not one that every item of the kind has. */
  readonly named: boolean;
  /** Why a content of the field was refused. The item is not saved without it. */
  readonly refused: string | undefined;
  /** @param refused why another content was refused. Undefined: nothing is refused any more */
  readonly onChange: (changes: Partial<ContentField>, refused?: string) => void;
  readonly onRemove: () => void;
}

const keyboards = { url: "url", email: "email", phone: "tel", month: "numeric" } as const;

export function FieldEditor({ onRemove, ...editor }: FieldEditorProps) {
  const { id, field, named, refused, onChange } = editor;
  const { name, type, value } = field;
  const label = labelOf(name);
  /** The secret that was read from a picture. */
  const [read, setRead] = useState<string>();
  const takeSecret = (secret: string) => {
    onChange({ value: secret });
    setRead(secret);
    document.getElementById(id)?.focus();
  };
  const codeHint =
    value === ""
      ? "Or type the secret that the website shows."
      : "No codes can be made of this. It is saved as a hidden text.";
  return (
    <div className="field-editor">
      <div className="field-label">
        {named ? (
          <TextControl
            id={`${id}-name`}
            aria-label="Name of the field"
            dir="auto"
            placeholder="Name of the field"
            value={name}
            onChange={(typed) => onChange({ name: typed }, refused)}
          />
        ) : (
          <label htmlFor={id}>{label}</label>
        )}
        <IconButton icon="trash" tip="Remove" aria-label={`Remove ${label}`} onClick={onRemove} />
      </div>
      {type === "totp" && value === "" && <QrField label={label} onSecret={takeSecret} />}
      <ValueEditor {...editor} label={label} />
      {type === "totp" && (
        <p className="hint" role="status">
          {parseOneTimeSecret(value) === undefined ? codeHint : value === read && "The code was read."}
        </p>
      )}
    </div>
  );
}

interface ValueEditorProps extends Omit<FieldEditorProps, "onRemove"> {
  readonly label: string;
}

function ValueEditor({ id, kind, label, field, named, refused, onChange }: ValueEditorProps) {
  const { name, type, value, fileName } = field;
  const [shown, setShown] = useState(false);
  const [generating, setGenerating] = useState(false);
  const props = {
    id,
    value,
    // The person types the name into an input, which cannot be a label.
    ...(named && { "aria-label": label }),
    onChange: (text: string) => onChange({ value: text }),
  };
  if (name === useAsName && !named) {
    return <UseAsEditor id={id} kind={kind} value={value} onChange={props.onChange} />;
  }
  if (type === "file") {
    return <FileInput id={id} label={label} fileName={fileName} refused={refused} onChange={onChange} />;
  }
  if (type === "date") {
    return (
      <input {...props} type="date" autoComplete="off" onChange={({ target }) => onChange({ value: target.value })} />
    );
  }
  if (type === "note") return <TextControl {...props} rows={4} dir="auto" spellCheck />;
  const isUserName = name.toLowerCase() === "username";
  if (type === "text") {
    return (
      <TextControl {...props} dir="auto" spellCheck={!isUserName} {...(isUserName && { autoCapitalize: "none" })} />
    );
  }
  if (type === "month") return <TextControl {...props} inputMode={keyboards.month} placeholder="MM/YYYY" />;
  if (type !== "secret" && type !== "totp") return <TextControl {...props} dir="auto" inputMode={keyboards[type]} />;
  const lines = value.trimEnd().split(/\r\n|[\r\n]/).length;
  return (
    <>
      <span className="secret-editor">
        <TextControl {...props} masked={!shown} />
        <ShowButton label={label} shown={shown} onToggle={() => setShown(!shown)} />
        {name.toLowerCase() === "password" && (
          <button type="button" className="quiet" aria-expanded={generating} onClick={() => setGenerating(!generating)}>
            Generate
          </button>
        )}
      </span>
      {!shown && lines > 1 && <p className="hint">{lines} lines. Show them to see where you type.</p>}
      {type === "secret" && /pass(?:word|phrase)/i.test(name) && <StrengthHint password={value} />}
      {generating && (
        <Suspense>
          <GeneratorPanel
            onUse={(password) => {
              onChange({ value: password });
              setShown(true);
              setGenerating(false);
            }}
          />
        </Suspense>
      )}
    </>
  );
}

/** In bytes: as text, a file takes a third more, and the whole item has at most 36 kB. */
const largestFile = 26_000;

interface FileInputProps extends Pick<FieldEditorProps, "id" | "refused" | "onChange"> {
  readonly label: string;
  readonly fileName: string | undefined;
}

/** Takes a small file into an item. A larger one is refused before it is read. */
function FileInput({ id, label, fileName, refused, onChange }: FileInputProps) {
  const input = useRef<HTMLInputElement>(null);
  const [taken, setTaken] = useState<Parameters<typeof onChange>>();
  // Reading can take a while: the form has changed since.
  useEffect(() => {
    if (taken === undefined) return;
    setTaken(undefined);
    onChange(...taken);
  }, [taken, onChange]);
  const take = async (file: File) => {
    if (file.size > largestFile) {
      const size = `${Math.ceil(file.size / 1000)} kB`;
      return onChange({}, `${file.name} has ${size}. An item can contain a file of at most ${largestFile / 1000} kB.`);
    }
    onChange({}, `${file.name} is being read.`);
    try {
      const bytes = new Uint8Array(await file.arrayBuffer());
      setTaken([{ value: encodeBase64url(bytes), fileName: file.name }]);
    } catch {
      setTaken([{}, `${file.name} cannot be read. Choose it again.`]);
    }
  };
  const removeRefused = () => {
    if (input.current) input.current.value = "";
    onChange({});
  };
  return (
    <>
      <span className="file-field">
        {/* It covers all of the field, so that a file can be dropped anywhere on it. */}
        <input
          ref={input}
          type="file"
          id={id}
          aria-label={label}
          aria-describedby={`${id}-hint ${id}-error`}
          aria-invalid={refused === undefined ? undefined : true}
          onChange={({ target }) => void (target.files?.[0] ? take(target.files[0]) : onChange({}))}
        />
        <Icon name="file" />
        <span>
          {fileName === undefined ? "Choose a file, or drop it here" : "Choose another file, or drop it here"}
        </span>
      </span>
      <p className="hint" id={`${id}-hint`}>
        {fileName === undefined
          ? `A key, a certificate or codes: at most ${largestFile / 1000} kB.`
          : `Contains ${fileName}.`}
      </p>
      <p className="error field-error" id={`${id}-error`} role="alert">
        {refused}
      </p>
      {refused !== undefined && (
        <button type="button" onClick={removeRefused}>
          {fileName === undefined ? "Continue without this file" : `Keep ${fileName}`}
        </button>
      )}
    </>
  );
}
