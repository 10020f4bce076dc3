import { decodeQR } from "qr/decode.js";

declare global {
  /** Not in TypeScript's library, and not in every browser. @see https://wicg.github.io/shape-detection-api/ */
  var BarcodeDetector:
    | {
        new (options: {
          readonly formats: readonly string[];
        }): { detect(picture: ImageBitmap): Promise<readonly { readonly rawValue: string }[]> };
        getSupportedFormats(): Promise<readonly string[]>;
      }
    | undefined;
}

/** The longest side of a picture that is searched, in pixels: a photo has more than a QR code needs. */
const longestSide = 2_000;

/** How long a picture is searched, in milliseconds. */
const timeLimit = 1_500;

/** Returns the text of a QR code in a picture, which does not leave the browser. Undefined if there is none. @throws if it is no picture */
export async function readQrCode(picture: Blob): Promise<string | undefined> {
  const bitmap = await createImageBitmap(picture);
  try {
    return (await detect(bitmap)) ?? decode(bitmap);
  } finally {
    bitmap.close();
  }
}

/** Lets the browser find it, if it can. */
async function detect(bitmap: ImageBitmap): Promise<string | undefined> {
  const { BarcodeDetector } = globalThis;
  if (BarcodeDetector === undefined) return undefined;
  try {
    if (!(await BarcodeDetector.getSupportedFormats()).includes("qr_code")) return undefined;
    return (await new BarcodeDetector({ formats: ["qr_code"] }).detect(bitmap))[0]?.rawValue;
  } catch {
    return undefined;
  }
}

function decode(bitmap: ImageBitmap): string | undefined {
  const scale = Math.min(1, longestSide / Math.max(bitmap.width, bitmap.height));
  const [width, height] = [Math.ceil(bitmap.width * scale), Math.ceil(bitmap.height * scale)];
  const context = new OffscreenCanvas(width, height).getContext("2d");
  if (context === null) return undefined;
  // What is transparent is paper.
  context.fillStyle = "white";
  context.fillRect(0, 0, width, height);
  context.drawImage(bitmap, 0, 0, width, height);
  try {
    const { data } = context.getImageData(0, 0, width, height);
    return decodeQR({ width, height, data }, { effort: Number.POSITIVE_INFINITY, timeLimit });
  } catch {
    return undefined;
  }
}
