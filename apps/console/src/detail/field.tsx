import { useState } from "react";
import { labelOf } from "../content/kind-fields.js";
import { copyForAWhile } from "./clipboard.js";
import { addressOf, isSecret } from "./fields.js";

interface FieldProps {
  readonly name: string;
  readonly value: string;
}

/** A field of an item. A secret is not in the page until the person wants to see it. */
export function Field({ name, value }: FieldProps) {
  const [copied, setCopied] = useState<"" | "Copied" | "Not copied: the browser does not allow it">("");
  const label = labelOf(name);
  const address = addressOf(name, value);
  const { shown, toggle } = useMask(name);
  const copy = () => {
    copyForAWhile(value).then(
      () => setCopied("Copied"),
      () => setCopied("Not copied: the browser does not allow it"),
    );
  };
  return (
    <div className="field">
      <dt>{label}</dt>
      <dd>
        <FieldValue value={value} shown={shown} />
        <span className="field-actions">
          <span role="status" className="hint">
            {copied}
          </span>
          {address !== undefined && (
            <a className="button quiet" href={address} target="_blank" rel="noreferrer noopener">
              Open
            </a>
          )}
          {toggle && (
            <button type="button" className="quiet" aria-label={`${shown ? "Hide" : "Show"} ${label}`} onClick={toggle}>
              {shown ? "Hide" : "Show"}
            </button>
          )}
          <button type="button" className="quiet" aria-label={`Copy ${label}`} onClick={copy}>
            Copy
          </button>
        </span>
      </dd>
    </div>
  );
}

/** Returns whether the value of a field is shown, and for a secret how to change that. */
export function useMask(name: string) {
  const secret = isSecret(name);
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
