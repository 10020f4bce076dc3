/** Draws a text as a QR code into an empty element, in black on white. The encoder is loaded when it is needed. */
export async function drawQrCode(text: string, into: HTMLElement): Promise<void> {
  const { encode } = await import("uqr");
  const { data, size } = encode(text, { ecc: "M", border: 4 });
  const squares = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")));
  const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  picture.setAttribute("viewBox", `0 0 ${size} ${size}`);
  const path = document.createElementNS(picture.namespaceURI, "path");
  path.setAttribute("d", squares.join(""));
  picture.append(path);
  into.replaceChildren(picture);
}
