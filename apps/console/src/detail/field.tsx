import { saveFile } from "@platform-rpc/accounts/browser/output/save-text";
import { decodeBase64url } from "@platform-rpc/items/base64url";
import type { ContentField, FieldType } from "@platform-rpc/items/item-content";
import { labelOf } from "@platform-rpc/items/kind-fields";
import { codeAt, type OneTimeSecret, parseOneTimeSecret, secondsLeft } from "@platform-rpc/items/one-time-code";
import { addressOf } from "@platform-rpc/items/web-address";
import { type ReactNode, Suspense, useEffect, useMemo, useState } from "react";
import { Icon } from "../elements/icon.js";
import { IconButton } from "../elements/icon-button.js";
import { lazyPart } from "../elements/part-boundary.js";
import { CopyButton } from "./copy-button.js";
import { isSecret } from "./fields.js";

const LargeType = lazyPart(async () => (await import("./large-type.js")).LargeType);

export const copyShortcuts: ReadonlyMap<string, string> = new Map([
  ["username", "c"],
  ["password", "Shift+C"],
]);

interface FieldProps {
  readonly field: ContentField;
  readonly children?: ReactNode;
}

/** A field of an item. A secret is not in the page until the person wants to see it. */
export function Field({ field: { name, type: ownType, value, fileName }, children }: FieldProps) {
  const label = labelOf(name);
  const oneTime = useMemo(() => (ownType === "totp" ? parseOneTimeSecret(value) : undefined), [ownType, value]);
  // A text of which no codes can be made is one that the person can see and copy.
  const type = ownType === "totp" && oneTime === undefined ? "secret" : ownType;
  const address = addressOf({ type, value });
  const file = useMemo(() => (type === "file" ? fileIn(value) : undefined), [type, value]);
  const { shown, toggle } = useMask(type);
  const [large, setLarge] = useState(false);
  // A click on the value copies it, unless a person may want to select a part of it.
  const isLine = type !== "note" && !(shown && /[\r\n]/.test(value));
  return (
    <div className="field" data-line={isLine || undefined}>
      <dt>{label}</dt>
      <dd>
        {type === "file" ? (
          <span className="value">{fileName || "A file"}</span>
        ) : oneTime !== undefined ? (
          <OneTimeCode secret={oneTime} />
        ) : (
          <FieldValue value={value} shown={shown} isSecret={toggle !== undefined} address={address} />
        )}
        <span className="field-actions">
          {file !== undefined && (
            <IconButton
              icon="import"
              tip="Download"
              aria-label={`Download ${fileName || "the file"}`}
              onClick={() => saveFile(fileName || "file", file)}
            />
          )}
          {type === "file" && file === undefined && <span className="hint">This is not the content of a file.</span>}
          {type === "secret" && (
            <IconButton icon="large" tip="Large" aria-label={`${label} in large type`} onClick={() => setLarge(true)} />
          )}
          {toggle && oneTime === undefined && <ShowButton label={label} shown={shown} onToggle={toggle} />}
          {type !== "file" && oneTime === undefined && (
            <CopyButton label={label} value={async () => value} shortcut={copyShortcuts.get(name)} />
          )}
        </span>
      </dd>
      {children && <dd className="field-note">{children}</dd>}
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

interface ShowButtonProps {
  readonly label: string;
  readonly shown: boolean;
  readonly onToggle: () => void;
}

export function ShowButton({ label, shown, onToggle }: ShowButtonProps) {
  const tip = shown ? "Hide" : "Show";
  return <IconButton icon={shown ? "hide" : "show"} tip={tip} aria-label={`${tip} ${label}`} onClick={onToggle} />;
}

interface FieldValueProps {
  readonly value: string;
  readonly shown: boolean;
  readonly isSecret: boolean;
  /** The web address in the value. Default: none. */
  readonly address?: string | undefined;
}

/** The value of a field, or dots of which nobody can read how long it is. */
export function FieldValue({ value, shown, isSecret, address }: FieldValueProps) {
  if (address !== undefined) {
    const { host, pathname, search } = new URL(address);
    return (
      <a className="value" href={address} target="_blank" rel="noreferrer noopener" dir="ltr" data-tip="Open">
        <strong>{host}</strong>
        {pathname === "/" ? search : pathname + search}
        <Icon name="open" />
      </a>
    );
  }
  if (shown) {
    return (
      <span className={isSecret ? "value secret" : "value"} dir="auto">
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

/** The one-time code of now, and how long it is valid. The secret is never shown. */
function OneTimeCode({ secret }: { readonly secret: OneTimeSecret }) {
  const [now, setNow] = useState(Date.now);
  const [code, setCode] = useState("");
  const step = Math.floor(now / 1000 / secret.period);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => {
    let replaced = false;
    void codeAt(secret, step * secret.period * 1000).then((next) => {
      if (!replaced) setCode(next);
    });
    return () => {
      replaced = true;
    };
  }, [secret, step]);
  const left = secondsLeft(secret, now);
  return (
    <span className="one-time-code">
      <output className="value secret">{code.replace(/^(\d{3})(?=\d{3}$)|^(\d{4})(?=\d{4}$)/, "$& ")}</output>
      <svg className="ring" viewBox="0 0 20 20" role="img" aria-label={`Valid for ${left} seconds`}>
        <circle cx="10" cy="10" r="8" pathLength={secret.period} strokeDasharray={`${left} ${secret.period}`} />
      </svg>
      <span className="field-actions">
        <CopyButton label="the one-time code" value={() => codeAt(secret, Date.now())} />
      </span>
    </span>
  );
}

function fileIn(value: string): Blob | undefined {
  try {
    return new Blob([decodeBase64url(value)]);
  } catch {
    return undefined;
  }
}
