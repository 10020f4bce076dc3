import { parseOneTimeSecret } from "@platform-rpc/items/one-time-code";
import { useCallback, useEffect, useState } from "react";
import { Icon } from "../elements/icon.js";

interface QrFieldProps {
  readonly label: string;
  readonly onSecret: (secret: string) => void;
}

/** Reads the secret of one-time codes from a picture of a QR code: chosen, dropped here, or pasted anywhere on the page. */
export function QrField({ label, onSecret }: QrFieldProps) {
  const [said, setSaid] = useState("");
  const [found, setFound] = useState<string>();
  // Reading takes a while: the form has changed since.
  useEffect(() => {
    if (found === undefined) return;
    setFound(undefined);
    onSecret(found);
  }, [found, onSecret]);
  const take = useCallback(async (picture: Blob) => {
    setSaid("Reading the picture…");
    const result = await secretIn(picture);
    setSaid("problem" in result ? result.problem : "");
    if ("secret" in result) setFound(result.secret);
  }, []);
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      const picture = [...(event.clipboardData?.files ?? [])].find(({ type }) => type.startsWith("image/"));
      if (picture === undefined || event.defaultPrevented) return;
      event.preventDefault();
      void take(picture);
    };
    addEventListener("paste", onPaste);
    return () => removeEventListener("paste", onPaste);
  }, [take]);
  return (
    <>
      <span className="file-field">
        <input
          type="file"
          accept="image/*"
          aria-label={`Picture of the QR code for ${label}`}
          onChange={({ target }) => {
            const picture = target.files?.[0];
            // The same picture can be chosen again.
            target.value = "";
            if (picture) void take(picture);
          }}
        />
        <Icon name="qr" />
        <span>Choose, drop or paste a picture of the QR code</span>
      </span>
      <p className="hint" role="status">
        {said}
      </p>
    </>
  );
}

/** Returns what is in a picture, or why that is no secret, as a sentence. */
async function secretIn(picture: Blob): Promise<{ readonly secret: string } | { readonly problem: string }> {
  try {
    const { readQrCode } = await import("./read-qr-code.js");
    const text = await readQrCode(picture);
    if (text === undefined) return { problem: "No QR code was found in this picture. Try one that shows it larger." };
    // Any word could be a secret: a QR code says that it is one.
    const isSecret = /^(?:otpauth|steam):\/\//i.test(text) && parseOneTimeSecret(text) !== undefined;
    return isSecret ? { secret: text } : { problem: "The QR code in this picture is not one for one-time codes." };
  } catch {
    return { problem: "This picture cannot be read. Try another one." };
  }
}
