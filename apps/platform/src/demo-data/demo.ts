import { chmod, mkdir } from "node:fs/promises";
import { isMessage, type Message } from "@bufbuild/protobuf";
import { removeTemporaries, replacePrivateFile, temporariesIn } from "@platform-rpc/files";
import type { Clock, Platform } from "@platform-rpc/server";
import type { Secrets } from "@platform-rpc/server/host";
import { DeleteItemRequestSchema, ExchangeMcpOauthDeviceAuthorizationRequestSchema } from "@platform-rpc/types";
import {
  ApproveDeviceAuthorizationRequestSchema,
  DenyDeviceAuthorizationRequestSchema,
} from "@platform-rpc/types-internal";
import { demoTenant } from "../settings/settings.js";
import { setUpDemoAccount } from "./demo-account.js";
import { type DemoFiles, demoFilesIn, demoUser, demoVault } from "./demo-files.js";
import { loadDemoKeys } from "./demo-keys.js";
import { setUpDemoTenant } from "./demo-tenant.js";
import { createLiveAuthorization, createLiveToken, createThrowawayItem, demoScopes } from "./live-files.js";

/** A tenant to try the platform with, and files that contain requests that always succeed. */
export interface Demo {
  readonly files: DemoFiles;
  /** Replaces everything in the files that was used or is about to expire. */
  refresh(): Promise<void>;
  /** Returns whether a request may have used something in the files. */
  concerns(request: Message): boolean;
}

/** Creates the demo. The first refresh sets it up. Items are encrypted before they reach an operation. */
export function createDemo(deps: {
  readonly operations: Platform["own"];
  readonly secrets: Secrets;
  readonly clock: Clock;
  /** The folder of its files. Created if it is missing; only its owner gets access. */
  readonly folder: string;
}): Demo {
  const files = demoFilesIn(deps.folder);
  let item: ReturnType<typeof createThrowawayItem> | undefined;
  const token = createLiveToken({ ...deps, file: files.accessToken });
  const approved = createLiveAuthorization({
    ...deps,
    state: "approved",
    publish: ({ deviceCode }) => replacePrivateFile(files.exchange, bodyOf({ deviceCode })),
  });
  const pending = createLiveAuthorization({
    ...deps,
    state: "pending",
    async publish({ deviceCode, userCode }) {
      const approval = { tenantId: demoTenant, principalId: demoUser, userCode, scopes: demoScopes };
      await replacePrivateFile(files.approvePending, bodyOf(approval));
      await replacePrivateFile(files.pollPending, bodyOf({ deviceCode }));
    },
  });

  const setUp = async () => {
    await mkdir(deps.folder, { recursive: true, mode: 0o700 });
    await chmod(deps.folder, 0o700);
    await removeTemporaries(await temporariesIn(deps.folder));
    const keys = await loadDemoKeys(files.userKey);
    const seal = await setUpDemoTenant({ ...deps, keys });
    await setUpDemoAccount({ ...deps, keys, file: files.recoveryCode });
    return createThrowawayItem({ ...deps, seal, file: files.deleteItem });
  };

  const refreshAll = async () => {
    item ??= await setUp();
    for (const part of [token, item, approved, pending]) await part.refresh();
  };
  // Refreshes run one after another. Two concurrent ones would both replace the same thing, and one replacement would be lost.
  let last = Promise.resolve();
  return {
    files,
    refresh() {
      last = last.then(refreshAll, refreshAll);
      return last;
    },
    concerns(request) {
      if (isMessage(request, DeleteItemRequestSchema)) return request.vaultId === demoVault;
      if (isMessage(request, ExchangeMcpOauthDeviceAuthorizationRequestSchema)) {
        return approved.hasCode(request.deviceCode) || pending.hasCode(request.deviceCode);
      }
      const decided =
        isMessage(request, ApproveDeviceAuthorizationRequestSchema) ||
        isMessage(request, DenyDeviceAuthorizationRequestSchema);
      return decided && request.tenantId === demoTenant;
    },
  };
}

function bodyOf(message: object): string {
  return `${JSON.stringify(message)}\n`;
}
