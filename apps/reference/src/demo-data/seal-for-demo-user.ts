import { sealItem, titleHash } from "@platform-rpc/client/crypto";
import type { ItemContent, ItemRef } from "@platform-rpc/server";
import type { DemoKeys } from "./demo-keys.js";
import { demoUser } from "./demo-names.js";

/** The plaintext of an item. */
export interface PlainItem {
  readonly title: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** Encrypts a new item for the demo user, as the software of a user does. */
export async function sealForDemoUser(
  keys: DemoKeys,
  ref: ItemRef,
  kind: string,
  plain: PlainItem,
): Promise<ItemContent> {
  return sealItem({
    place: { ...ref, version: 1 },
    kind,
    titleHash: await titleHash(keys.titleKey, plain.title),
    plaintext: new TextEncoder().encode(JSON.stringify(plain)),
    recipients: [{ recipientId: demoUser, publicKey: keys.wrappingKey }],
  });
}
