import { clearsClipboard, copySecret, copyText } from "@platform-rpc/accounts/browser/output/clipboard";
import { useEffect, useState } from "react";
import type { IconName } from "../elements/icon.js";
import { IconButton } from "../elements/icon-button.js";

interface CopyButtonProps {
  readonly label: string;
  readonly value: () => Promise<string>;
  /** Whether it may stay in the clipboard. Default: false. */
  readonly stays?: boolean;
  readonly shortcut?: string | undefined;
  readonly icon?: IconName;
  readonly tip?: string;
}

/** For how long the button says that it has copied, in milliseconds. */
const saidMs = 2_000;

/** Copies a value, which leaves the clipboard again after 30 s if the browser allows that. */
export function CopyButton(props: CopyButtonProps) {
  const { label, value, stays = false, shortcut, icon = "copy", tip = "Copy" } = props;
  const [said, setSaid] = useState<"Copied" | "Copied for 30 s" | "Not copied: the browser does not allow it">();
  useEffect(() => {
    if (said === undefined) return;
    const timer = setTimeout(() => setSaid(undefined), saidMs);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async () => {
    try {
      await (stays ? copyText : copySecret)(await value());
      setSaid(!stays && (await clearsClipboard()) ? "Copied for 30 s" : "Copied");
    } catch {
      setSaid("Not copied: the browser does not allow it");
    }
  };
  return (
    <>
      <span role="status" className="unseen">
        {said}
      </span>
      <IconButton
        icon={said?.startsWith("Copied") ? "done" : icon}
        tip={said ?? tip}
        said={said !== undefined}
        className="copy"
        aria-label={`${said ?? "Copy"} ${label}`}
        aria-keyshortcuts={shortcut}
        onClick={() => void copy()}
      />
    </>
  );
}
