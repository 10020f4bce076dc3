import { decodeBase64url } from "@platform-rpc/accounts/keys/bytes";

/** Saves a file that an item contains, in base64url. The name is a suggestion: the browser makes it safe. */
export function saveFile(name: string, base64url: string): void {
  const url = URL.createObjectURL(new Blob([decodeBase64url(base64url)]));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The download has begun when the click returns.
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}
