/** Returns the bytes of a DeleteItem request. */
export function deleteItemRequest(vaultId: string, itemId: string, token: string, baseVersion = 1): Buffer {
  return requestOf("/platform.v1.VaultService/DeleteItem", { vaultId, itemId, baseVersion }, token);
}

/** Returns the bytes of a request. */
export function requestOf(path: string, message: object, token: string): Buffer {
  const body = JSON.stringify(message);
  return Buffer.from(
    [
      `POST ${path} HTTP/1.1`,
      "Host: 127.0.0.1",
      "User-Agent: bench",
      `Authorization: Bearer ${token}`,
      "Content-Type: application/json",
      "Connect-Protocol-Version: 1",
      `Content-Length: ${Buffer.byteLength(body)}`,
      "",
      body,
    ].join("\r\n"),
  );
}
