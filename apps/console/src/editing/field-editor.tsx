import type { ContentField, FieldType } from "@platform-rpc/items/item-content";
import { labelOf } from "@platform-rpc/items/kind-fields";
import { Suspense, useState } from "react";
import { Icon } from "../elements/icon.js";
import { lazyPart } from "../elements/part-boundary.js";
import { StrengthHint } from "../strength/strength-hint.js";
import { FileInput } from "./file-input.js";

const GeneratorPanel = lazyPart(async () => (await import("./generator-panel.js")).GeneratorPanel);

interface FieldEditorProps {
  readonly id: string;
  readonly field: ContentField;
  /** Whether the person can choose its name: it is not one that every item of the kind has. */
  readonly named: boolean;
  readonly onChange: (changes: Partial<ContentField>) => void;
  readonly onRemove: () => void;
}

const inputTypes: Partial<Record<FieldType, string>> = { url: "url", email: "email", phone: "tel", date: "date" };

/** A field of an item that is written: its label, its value, and what helps to write it. */
export function FieldEditor({ id, field, named, onChange, onRemove }: FieldEditorProps) {
  const { name, type, value } = field;
  const label = labelOf(name) || "Field without a name";
  return (
    <div className="field-editor">
      <div className="field-label">
        {named ? (
          <input
            type="text"
            aria-label="Name of the field"
            dir="auto"
            maxLength={100}
            autoComplete="off"
            placeholder="Name of the field"
            value={name}
            onChange={({ target }) => onChange({ name: target.value })}
          />
        ) : (
          <label htmlFor={id}>{label}</label>
        )}
        <button type="button" className="quiet" aria-label={`Remove ${label}`} title="Remove" onClick={onRemove}>
          <Icon name="trash" />
        </button>
      </div>
      <ValueEditor id={id} label={label} field={field} named={named} onChange={onChange} />
      {type === "totp" && value === "" && (
        <p className="hint">The secret that the website shows, or the text of its QR code: otpauth://…</p>
      )}
    </div>
  );
}

interface ValueEditorProps extends Pick<FieldEditorProps, "id" | "field" | "named" | "onChange"> {
  readonly label: string;
}

function ValueEditor({ id, label, field: { name, type, value, fileName }, named, onChange }: ValueEditorProps) {
  const [shown, setShown] = useState(false);
  const [generating, setGenerating] = useState(false);
  const props = {
    id,
    value,
    // The person types the name into an input, which cannot be a label.
    ...(named && { "aria-label": label }),
    autoComplete: "off",
    onChange: ({ target }: { readonly target: { readonly value: string } }) => onChange({ value: target.value }),
  };
  if (type === "file") return <FileInput id={id} label={label} fileName={fileName} onChange={onChange} />;
  if (type === "note") return <textarea {...props} rows={4} dir="auto" />;
  if (type === "month") return <input {...props} type="text" inputMode="numeric" placeholder="MM/YYYY" maxLength={7} />;
  if (type !== "secret" && type !== "totp") {
    return <input {...props} type={inputTypes[type] ?? "text"} dir="auto" spellCheck={type === "text"} />;
  }
  return (
    <>
      <span className="secret-editor">
        {shown && value.includes("\n") ? (
          <textarea {...props} rows={6} spellCheck={false} />
        ) : (
          <input {...props} type={shown ? "text" : "password"} spellCheck={false} autoComplete="new-password" />
        )}
        <button
          type="button"
          className="quiet"
          aria-label={`${shown ? "Hide" : "Show"} ${label}`}
          onClick={() => setShown(!shown)}
        >
          {shown ? "Hide" : "Show"}
        </button>
        {name.toLowerCase() === "password" && (
          <button type="button" className="quiet" aria-expanded={generating} onClick={() => setGenerating(!generating)}>
            Generate
          </button>
        )}
      </span>
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
