import { internalContract } from "@platform-rpc/accounts/contract/private-contract";
import { ownCall } from "@platform-rpc/accounts/http/own-call";
import { inMemoryPlatform } from "@platform-rpc/accounts/testing/in-memory-platform";
import { createListener } from "@platform-rpc/server";
import {
  answerDeviceAuthorizationCases,
  answeredOf,
  createDeviceOperationsDriver,
  type DeviceAnswer,
  type DeviceCall,
  type DeviceOperationsDriver,
  describeDeviceCases,
  isExchange,
  startDeviceAuthorizationCases,
  userCodeOf,
} from "@platform-rpc/server/testing";
import { Visibility } from "@platform-rpc/types";
import { afterAll, beforeAll, expect } from "vitest";
import { z } from "zod";
import { type Answered, call, errorIn } from "../testing/call.js";
import { createPrivateRoutes, privateOperations } from "./private-routes.js";

let driver: DeviceOperationsDriver;
let end: () => Promise<void>;
beforeAll(async () => {
  const platform = await inMemoryPlatform();
  const { operations, clock, pass, storage, secrets, admit } = platform;
  const routes = createPrivateRoutes({
    operations,
    verificationUri: () => "https://accounts.example/device",
    trustClock: () => expect.unreachable(),
    backUp: () => expect.unreachable(),
    readAudit: storage.readAudit,
  });
  const listener = createListener(
    { routes, admit, contract: internalContract },
    { visibility: Visibility.PRIVATE, logger: { info: () => undefined, error: () => undefined } },
  );
  const { port } = await listener.listen(0, "127.0.0.1");
  end = async () => {
    await listener.close(0);
    await platform.close();
  };

  const byOperations = await createDeviceOperationsDriver({
    operations,
    storage,
    clock: { now: clock.now, advance: pass, step: pass },
  });
  const { administrator, approver } = byOperations;
  const own = () => ownCall("test", secrets);
  await operations.setPrincipal({ ...administrator, active: true }, own());
  const allowedOperations = [...privateOperations.keys()];
  await operations.setOauthClient({ ...administrator, name: "A", allowedOperations, enabled: true }, own());
  const scopes = ["platform.internal:admin"];
  const send = async (method: string, body: object) => {
    const { accessToken } = await operations.issueAccessToken({ ...administrator, scopes, lifeSeconds: 0 }, own());
    const name = `platform.internal.v1.DeviceAuthorizationService/${method}DeviceAuthorization`;
    return call(`http://127.0.0.1:${port}`, name, body, accessToken);
  };
  driver = {
    ...byOperations,
    async call(codes, each) {
      if (isExchange(each)) return byOperations.call(codes, each);
      if (each.operation === "Start") {
        const oauthClientId = each.with === "an unknown client" ? "unknown" : "c-1";
        const started = await send("Start", { tenantId: approver.tenantId, oauthClientId, scopes: each.scopes });
        if (started.status !== 200) return rejectionIn(started);
        const { userCode } = z.object({ userCode: z.string() }).parse(started.json);
        return { started: shown.parse((await send("Get", { ...approver, userCode })).json).scopes };
      }
      const { operation } = each;
      const approved = operation === "Approve" ? { scopes: each.scopes } : {};
      const answer = await send(operation, { ...userCodeOf(codes, each), ...approved });
      if (answer.status !== 200) return rejectionIn(answer);
      return operation === "Get" ? shownIn(answer) : answered(answer, each);
    },
  };
});
afterAll(() => end());

const shown = z.object({
  oauthClientId: z.string(),
  oauthClientName: z.string(),
  scopes: z.array(z.string()),
  popKeyId: z.string(),
  status: z.string(),
  createdAt: z.string().transform(Date.parse),
  expiresAt: z.string().transform(Date.parse),
});

function shownIn({ json }: Answered): DeviceAnswer {
  const { status, oauthClientName: clientName, scopes: requestedScopes, ...authorization } = shown.parse(json);
  return { shown: status, authorization: { ...authorization, requestedScopes }, clientName };
}

/** Reads the error of a call. It has the status of the contract. */
function rejectionIn(answer: Answered): DeviceAnswer {
  const { status, reason, fields } = errorIn(answer);
  expect({ reason, status }).toEqual({ reason, status: internalContract.reasons.get(reason)?.httpStatus });
  return { reason: reason === "INVALID_FIELD" && fields.join() === "scopes" ? "SCOPES_NOT_REQUESTED" : reason };
}

function answered({ json }: Answered, each: Extract<DeviceCall, { operation: "Approve" | "Deny" | "Get" }>) {
  expect(json).toEqual({});
  return answeredOf(
    { ok: true },
    each.operation === "Deny" ? "Deny" : "Approve",
    "scopes" in each ? (each.scopes ?? []) : [],
  );
}

const cases = [...startDeviceAuthorizationCases, ...answerDeviceAuthorizationCases];

describeDeviceCases(
  "the operations of administrators",
  cases,
  { userCodes: false, emptyApprovals: false },
  () => driver,
);
