import { codeAt, parseOneTimeSecret, secondsLeft } from "@platform-rpc/items/one-time-code";
import { useEffect, useMemo, useState } from "react";
import { CopyButton } from "./copy-button.js";

/** The one-time code of now, and how long it is valid. The secret is never shown. */
export function OneTimeCode({ secret }: { readonly secret: string }) {
  const parsed = useMemo(() => parseOneTimeSecret(secret), [secret]);
  const [now, setNow] = useState(Date.now);
  const [code, setCode] = useState("");
  const step = parsed && Math.floor(now / 1000 / parsed.period);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => {
    if (parsed === undefined || step === undefined) return;
    let replaced = false;
    void codeAt(parsed, step * parsed.period * 1000).then((next) => {
      if (!replaced) setCode(next);
    });
    return () => {
      replaced = true;
    };
  }, [parsed, step]);
  if (parsed === undefined) return <span className="hint">This is not the secret of a one-time code.</span>;
  const left = secondsLeft(parsed, now);
  return (
    <span className="one-time-code">
      <output className="value">{code.replace(/^(\d{3})(?=\d{3}$)|^(\d{4})(?=\d{4}$)/, "$& ")}</output>
      <svg className="ring" viewBox="0 0 20 20" role="img" aria-label={`Valid for ${left} seconds`}>
        <circle cx="10" cy="10" r="8" pathLength={parsed.period} strokeDasharray={`${left} ${parsed.period}`} />
      </svg>
      <span className="field-actions">
        <CopyButton label="the one-time code" value={() => codeAt(parsed, Date.now())} />
      </span>
    </span>
  );
}
