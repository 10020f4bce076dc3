/** Returns the bytes of a DeleteItem request. */
export function deleteItemRequest(vaultId: string, itemId: string, token: string, baseVersion = 1): Buffer {
  const body = JSON.stringify({ vaultId, itemId, baseVersion });
  return Buffer.from(
    [
      "POST /platform.v1.VaultService/DeleteItem HTTP/1.1",
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
