/** Saves a file with the browser's own download. It never leaves the browser. The name is a suggestion: the browser makes it safe. */
export function saveFile(name: string, file: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The download has begun when the click returns.
  setTimeout(() => URL.revokeObjectURL(link.href), 1_000);
}

/** Saves text as a file. @param type the media type. Default: plain text */
export function saveText(name: string, text: string, type = "text/plain"): void {
  saveFile(name, new Blob([text], { type: `${type};charset=utf-8` }));
}
