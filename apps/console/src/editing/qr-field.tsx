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
      // Some programs copy a text together with a picture of it.
      const isText = event.clipboardData?.types.includes("text/plain");
      if (picture === undefined || isText || event.defaultPrevented) return;
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

/** Reads the secret of a one-time code from a picture. If it finds none, it returns a sentence that says why. */
async function secretIn(picture: Blob): Promise<{ readonly secret: string } | { readonly problem: string }> {
  try {
    const text = await readQrCode(picture);
    if (text === undefined) return { problem: "No QR code was found in this picture. Try one that shows it larger." };
    // Any word could be a secret: a QR code says that it is one.
    const isSecret = /^(?:otpauth|steam):\/\//i.test(text) && parseOneTimeSecret(text) !== undefined;
    return isSecret ? { secret: text } : { problem: "The QR code in this picture is not one for one-time codes." };
  } catch {
    return { problem: "This picture cannot be read. Try another one." };
  }
}

declare global {
  /** Not in every browser. @see https://wicg.github.io/shape-detection-api/ */
  var BarcodeDetector: typeof import("qr/decode.js").BarcodeDetector | undefined;
}

/** The longest side of a picture that is searched, in pixels: a photo has more than a QR code needs, and the detector takes at most 4096. */
const longestSide = 2_000;

/** Returns the text of a QR code in a picture, which does not leave the browser. Undefined if there is none. @throws if it is no picture */
async function readQrCode(picture: Blob): Promise<string | undefined> {
  const whole = await createImageBitmap(picture);
  const { width, height } = whole;
  const size = width > height ? { resizeWidth: longestSide } : { resizeHeight: longestSide };
  const bitmap = Math.max(width, height) > longestSide ? await createImageBitmap(whole, size) : whole;
  const formats = await globalThis.BarcodeDetector?.getSupportedFormats();
  const own = formats?.includes("qr_code") ? globalThis.BarcodeDetector : undefined;
  const Detector = own ?? (await import("qr/decode.js")).BarcodeDetector;
  const [found] = await new Detector({ formats: ["qr_code"] }).detect(bitmap);
  return found?.rawValue;
}
