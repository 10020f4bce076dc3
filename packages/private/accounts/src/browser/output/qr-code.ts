/** Draws a text as a QR code into an empty element, in black on white. The encoder is loaded when it is needed. */
export async function drawQrCode(text: string, into: HTMLElement): Promise<void> {
  const { encodeQR } = await import("qr");
  const rows = encodeQR(text, "raw", { ecc: "medium", border: 4 });
  const squares = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")));
  const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  picture.setAttribute("viewBox", `0 0 ${rows.length} ${rows.length}`);
  const path = document.createElementNS(picture.namespaceURI, "path");
  path.setAttribute("d", squares.join(""));
  picture.append(path);
  into.replaceChildren(picture);
}
