import type { ContentField, FieldType } from "@platform-rpc/items/item-content";
import { labelOf } from "@platform-rpc/items/kind-fields";
import { Suspense, useState } from "react";
import { lazyPart } from "../elements/part-boundary.js";
import { CopyButton } from "./copy-button.js";
import { addressOf, isSecret } from "./fields.js";
import { OneTimeCode } from "./one-time-code-value.js";
import { saveFile } from "./save-file.js";

const LargeType = lazyPart(async () => (await import("./large-type.js")).LargeType);

/** A field of an item. A secret is not in the page until the person wants to see it. */
export function Field({ name, type, value, fileName }: ContentField) {
  const label = labelOf(name);
  const address = addressOf({ type, value });
  const { shown, toggle } = useMask(type);
  const [large, setLarge] = useState(false);
  return (
    <div className="field">
      <dt>{label}</dt>
      <dd>
        {type === "file" ? (
          <span className="value">{fileName ?? "A file"}</span>
        ) : type === "totp" ? (
          <OneTimeCode secret={value} />
        ) : (
          <FieldValue value={value} shown={shown} />
        )}
        <span className="field-actions">
          {type === "file" && (
            <button type="button" className="quiet" onClick={() => saveFile(fileName ?? "file", value)}>
              Download
            </button>
          )}
          {address !== undefined && (
            <a className="button quiet" href={address} target="_blank" rel="noreferrer noopener">
              Open
            </a>
          )}
          {type === "secret" && (
            <button
              type="button"
              className="quiet"
              aria-label={`${label} in large type`}
              onClick={() => setLarge(true)}
            >
              Large
            </button>
          )}
          {toggle && type !== "totp" && (
            <button type="button" className="quiet" aria-label={`${shown ? "Hide" : "Show"} ${label}`} onClick={toggle}>
              {shown ? "Hide" : "Show"}
            </button>
          )}
          {type !== "file" && type !== "totp" && <CopyButton label={label} value={async () => value} />}
        </span>
      </dd>
      {large && (
        <Suspense>
          <LargeType label={label} value={value} onClose={() => setLarge(false)} />
        </Suspense>
      )}
    </div>
  );
}

/** Returns whether the value of a field is shown, and for a secret how to change that. */
export function useMask(type: FieldType) {
  const secret = isSecret(type);
  const [shown, setShown] = useState(!secret);
  return { shown, toggle: secret ? () => setShown(!shown) : undefined };
}

/** The value of a field, or dots of which nobody can read how long it is. */
export function FieldValue({ value, shown }: { readonly value: string; readonly shown: boolean }) {
  if (shown) {
    return (
      <span className="value" dir="auto">
        {value}
      </span>
    );
  }
  return (
    <span className="value">
      <span aria-hidden="true">••••••••••••</span>
      <span className="unseen">Hidden</span>
    </span>
  );
}
