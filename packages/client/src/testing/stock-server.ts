import type { DescMessage, MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type Code, ConnectError, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { type DeleteItemResponseSchema, ErrorInfoSchema, IdentityGatewayService, VaultService } from "@platform/types";
import { serve } from "./http-server.js";

type Implementations = {
  readonly deleteItem?: ServiceImpl<typeof VaultService>["deleteItem"];
  readonly exchange?: ServiceImpl<typeof IdentityGatewayService>["exchangeMcpOauthDeviceAuthorization"];
};

/** A stock Connect server: what the wire looks like when nothing of ours serves it. */
export function serveStock({ deleteItem, exchange }: Implementations, requestPathPrefix = ""): Promise<string> {
  const handler = connectNodeAdapter({
    requestPathPrefix,
    routes: ({ service }) => {
      service(VaultService, deleteItem === undefined ? {} : { deleteItem });
      service(IdentityGatewayService, exchange === undefined ? {} : { exchangeMcpOauthDeviceAuthorization: exchange });
    },
  });
  return serve(handler);
}

/** An answer to DeleteItem with all that the contract promises. */
export const deletedItem = {
  item: {
    itemId: "item-1",
    tenantId: "tenant-1",
    vaultId: "vault-1",
    version: 4,
    kind: "login",
    titleHash: "dGl0bGU",
    updatedAt: timestampFromMs(1_700_000_000_123),
    encryptedPayload: { alg: "A256GCM", nonce: "bm9uY2U", ciphertext: "c2VjcmV0", version: 1 },
    wrappedKeys: [{ recipientId: "user-1", wrapAlg: "A256KW", wrappedKey: "a2V5" }],
    deleted: true,
  },
  cursor: { vaultId: "vault-1", sequence: 42 },
} satisfies MessageInitShape<typeof DeleteItemResponseSchema>;

/** The bearer token that a call brought. */
export function bearerOf({ requestHeader }: HandlerContext): string | undefined {
  return requestHeader.get("Authorization")?.replace(/^Bearer /, "");
}

/** A refusal in the platform's form: `google.rpc.ErrorInfo` first, then the details that the reason carries. */
export function refusal(
  code: Code,
  reason: string,
  details: readonly { desc: DescMessage; value: Record<string, unknown> }[] = [],
  message = "No.",
  requestId = "request-of-the-server",
): ConnectError {
  const info = {
    desc: ErrorInfoSchema,
    value: { reason, domain: "platform.v1", metadata: { requestId } },
  };
  return new ConnectError(
    message,
    code,
    undefined,
    [info, ...details].map(({ desc, value }) => ({ desc, value })),
  );
}
