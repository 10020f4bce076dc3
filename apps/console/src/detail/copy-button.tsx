import { useState } from "react";
import { copyForAWhile } from "./clipboard.js";

interface CopyButtonProps {
  /** What is copied, in words. */
  readonly label: string;
  readonly value: () => Promise<string>;
}

/** Copies a value, which leaves the clipboard again after 30 s. */
export function CopyButton({ label, value }: CopyButtonProps) {
  const [copied, setCopied] = useState<"" | "Copied" | "Not copied: the browser does not allow it">("");
  const copy = async () => {
    const done = await copyForAWhile(await value()).then(
      () => "Copied" as const,
      () => "Not copied: the browser does not allow it" as const,
    );
    setCopied(done);
  };
  return (
    <>
      <span role="status" className="hint">
        {copied}
      </span>
      <button type="button" className="quiet" aria-label={`Copy ${label}`} onClick={() => void copy()}>
        Copy
      </button>
    </>
  );
}
