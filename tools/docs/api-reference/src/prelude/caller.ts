import { createPlatformClient } from "@platform-rpc/client";
import { createRecipientKeys, createWriterKeys, sealItem, unwrapItemKey } from "@platform-rpc/client/crypto";
import { createFakePlatform } from "@platform-rpc/client/testing";

/** Creates the globals of client examples, with a fake platform that answers in process and without delay. */
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
  if (wrapped === undefined) throw new TypeError("the item has no wrapped key");
  const itemKey = await unwrapItemKey(wrapped, ada);

  return {
    fetch,
    baseUrl,
    token: platform.options.token().accessToken,
    /** Uses the clock of the fake platform, so that waits take no time. */
    client: createPlatformClient(platform.options),
    signal: new AbortController().signal,
    vaultId,
    /** The id of an item at version 3. */
    itemId,
    /** The device code of an approved authorization. */
    deviceCode,
    /** A broker token. */
    accessToken: "eyJhbGciOiJFZDI1NTE5In0.e30.c2lnbmF0dXJl",
    /** The place of `item`, which is sealed for ada, by ada, with `itemKey`. */
    place,
    item,
    wrappedKeys: item.wrappedKeys,
    itemKey,
    /** Ada's keys for signing. */
    writerKeys,
    /** Ada's keys for opening items. */
    publicKey,
    privateKey,
  };
}
