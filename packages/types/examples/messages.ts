import { create, toJson } from "@bufbuild/protobuf";
import { DeleteItemRequestSchema, type DeleteItemResponseJson, VaultService } from "@platform-rpc/types";

const request = create(DeleteItemRequestSchema, { vaultId: "v-1", itemId: "i-1", baseVersion: 3 });
console.log(toJson(DeleteItemRequestSchema, request));
// { vaultId: 'v-1', itemId: 'i-1', baseVersion: 3 }

const sequenceOf = (response: DeleteItemResponseJson) => response.cursor?.sequence;
console.log(VaultService.typeName, sequenceOf({ cursor: { vaultId: "v-1", sequence: 7 } }));
// platform.v1.VaultService 7
