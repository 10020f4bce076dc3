import { fastify } from "fastify";
import { fixtureResponse, path } from "../fixture.ts";
import { addressOf, type Listening } from "./listen.ts";

const text = { type: "string" };
const id = { type: "string", minLength: 1, maxLength: 128 };
const integer = { type: "integer", minimum: 0, maximum: 4_294_967_295 };

const body = object({ vaultId: id, itemId: id, baseVersion: { ...integer, minimum: 1 } });
const response = object({
  item: object({
    itemId: text,
    tenantId: text,
    vaultId: text,
    version: integer,
    kind: text,
    titleHash: text,
    updatedAt: text,
    encryptedPayload: object({ alg: text, nonce: text, aad: text, ciphertext: text, version: integer }),
    wrappedKeys: { type: "array", items: object({ recipientId: text, wrapAlg: text, wrappedKey: text }) },
    deleted: { type: "boolean" },
  }),
  cursor: object({ vaultId: text, sequence: integer }),
});

/** Starts Fastify with schemas of the request, which it validates, and of the response, from which it compiles a serializer. */
export async function startFastify(): Promise<Listening> {
  const app = fastify();
  app.post<{ Body: { itemId: string } }>(path, { schema: { body, response: { 200: response } } }, async (request) =>
    fixtureResponse(request.body.itemId),
  );
  await app.listen({ port: 0, host: "127.0.0.1" });
  return addressOf(app.server.address());
}

function object(properties: Readonly<Record<string, object>>) {
  return { type: "object", properties, required: Object.keys(properties) };
}
