/** Saves text as a file, with the browser's own download. It never leaves the browser. @param type the media type. Default: plain text */
export function saveText(name: string, text: string, type = "text/plain"): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
