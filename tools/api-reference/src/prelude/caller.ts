import { createPlatformClient } from "@platform-rpc/client";
import { createRecipientKeys, createWriterKeys, sealItem, unwrapItemKey } from "@platform-rpc/client/crypto";
import { createFakePlatform } from "@platform-rpc/client/testing";

/** What callers have, who read an example: a platform that answers them, in process and at once. */
export async function createCallersPrelude() {
  const platform = createFakePlatform();
  const { baseUrl } = platform.options;
  const { fetch: overHttp } = globalThis;
  const fetch: typeof overHttp = (input, init) => {
    const { url } = new Request(input, init);
    return url.startsWith(baseUrl) ? platform.options.fetch(input, init) : overHttp(input, init);
  };
  const [vaultId, itemId] = ["personal", "item-1"];
  platform.putItem({ vaultId, itemId, version: 3 });
  const { deviceCode } = platform.startDevice();
  platform.approveDevice();

  const place = { tenantId: "acme", vaultId, itemId, version: 4 };
  const { publicKey, privateKey } = await createRecipientKeys();
  const plaintext = new TextEncoder().encode("correct horse");
  const ada = { recipientId: "ada", publicKey, privateKey };
  const writerKeys = await createWriterKeys();
  const writer = { writerId: "ada", privateKey: writerKeys.privateKey };
  const item = await sealItem({ place, kind: "login", titleHash: "", plaintext, recipients: [ada], writer });
  const [wrapped] = item.wrappedKeys;
  if (wrapped === undefined) throw new TypeError("nothing was wrapped");
  const itemKey = await unwrapItemKey(wrapped, ada);

  return {
    fetch,
    baseUrl,
    token: platform.options.token().accessToken,
    /** On the clock of the fake platform: its waits take no time. */
    client: createPlatformClient(platform.options),
    signal: new AbortController().signal,
    vaultId,
    /** At version 3. */
    itemId,
    /** Of an authorization that is approved. */
    deviceCode,
    /** A broker token. */
    accessToken: "eyJhbGciOiJFZDI1NTE5In0.e30.c2lnbmF0dXJl",
    /** Where `item` is sealed: for ada, by ada, with `itemKey`. */
    place,
    item,
    wrappedKeys: item.wrappedKeys,
    itemKey,
    /** Ada's, to sign with. */
    writerKeys,
    /** Ada's, to read with. */
    publicKey,
    privateKey,
  };
}
