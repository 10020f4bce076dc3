import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import "@platform-rpc/testbed/local-names";
import * as z from "zod";
import type { CallEnd, Journal } from "../history/journal.ts";
import type { Target } from "./plan.ts";
import type { Random } from "./random.ts";
import { endOfForm } from "./responses.ts";
import { endOfFailedSend, post, type Sent } from "./send.ts";

interface Person {
  readonly accountId: string;
  readonly locator: string;
  readonly key: KeyObject;
}

const begun = z.object({ accountId: z.string().optional(), challenge: z.string().optional() });

const text = (bytes: number) => randomBytes(bytes).toString("base64url");

/** Creates the action that signs a person up with a recovery code, repeats the last step without an answer, and signs people in. */
export function createSignUpAction(deps: {
  readonly pickTarget: () => Target;
  readonly journal: Journal;
  readonly random: Random;
}): () => Promise<void> {
  const { pickTarget, journal, random } = deps;
  const people: Person[] = [];

  const send = (origin: string, step: string, body: object, cookie: string, address: string): Promise<Sent> =>
    post(`${origin}/account/api/${step}`, JSON.stringify(body), {
      "content-type": "application/json",
      ...{ origin, cookie, "x-real-ip": address },
    });
  const signIn = async ({ accountId, locator, key }: Person, address: string): Promise<void> => {
    const origin = pickTarget().pagesUrl;
    const ceremony = await send(origin, "sign-in/begin", { again: false }, "", address).catch(() => undefined);
    if (ceremony?.status !== 200) return;
    const { challenge } = begun.parse(JSON.parse(ceremony.text));
    const message = JSON.stringify(["platform accounts: recovery sign-in", 1, origin, challenge]);
    const body = {
      how: "recovery code",
      locator,
      signature: sign(null, Buffer.from(message), key).toString("base64url"),
    };
    await journal.record({ on: "account", accountId, kind: "sign-in" }, "", () =>
      send(origin, "sign-in/finish", body, ceremony.cookies, address).then(endOfStep, endOfFailedSend),
    );
  };

  return async () => {
    const origin = pickTarget().pagesUrl;
    // Sign-ups and sign-ins are limited for each address.
    const address = `10.${random.below(256)}.${random.below(256)}.${random.below(256)}`;
    const ceremony = await send(origin, "sign-up/begin", { displayName: "Ada" }, "", address).catch(() => undefined);
    if (ceremony?.status !== 200) return;
    const { accountId = "" } = begun.parse(JSON.parse(ceremony.text));
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    const locator = text(16);
    const signInPublicKey = publicKey.export({ format: "jwk" }).x;
    const wrappedKeys = { version: 1, salt: text(16), nonce: text(12), ciphertext: text(32) };
    const body = { recovery: { locator, signInPublicKey, wrappedKeys } };
    for (let attempt = 0; attempt < 4; attempt += 1) {
      const end = await journal.record({ on: "account", accountId, kind: "create" }, "", () =>
        send(origin, "sign-up/finish", body, ceremony.cookies, address).then(endOfStep, endOfFailedSend),
      );
      if ("result" in end) break;
    }
    const person = { accountId, locator, key: privateKey };
    await signIn(person, address);
    // An account from before the newest fault must still exist.
    people.push(person);
    await signIn(random.pick([person, ...people]), address);
  };
}

/** The reasons of a step whose ceremony is used up, also if that happens while the step runs. */
const usedUp = ["CEREMONY_EXPIRED", "ACCOUNT_CHANGED"];

/** A ceremony is used up by the step that ends it, and by the clock: whether that step succeeded is then unknown. */
function endOfStep(answer: Sent): CallEnd {
  const end = endOfForm(answer, () => ({ ok: true }));
  const reason = "result" in end && !end.result.ok ? end.result.reason : undefined;
  return reason !== undefined && usedUp.includes(reason) ? { lost: reason } : end;
}
