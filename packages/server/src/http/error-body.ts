import { create, toBinary, toJson } from "@bufbuild/protobuf";
import { base64Encode } from "@bufbuild/protobuf/wire";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import { type RpcError, withRequestId } from "../services/rpc-error.js";

/**
 * Returns the Error body of the contract: code, message and details, each detail as binary and as JSON. For responses to calls that your
 * own server rejects before it passes them to `handle`.
 */
export function errorBody(error: RpcError, requestId: string): string {
  const details = withRequestId(error, requestId).details.map((detail) => {
    if (!("desc" in detail)) return { type: detail.type, value: base64Encode(detail.value, "std_raw"), debug: {} };
    const message = create(detail.desc, detail.value);
    return {
      type: detail.desc.typeName,
      value: base64Encode(toBinary(detail.desc, message), "std_raw"),
      debug: toJson(detail.desc, message, { alwaysEmitImplicit: true }),
    };
  });
  return JSON.stringify({ code: codeToString(error.code), message: error.rawMessage, details });
}
