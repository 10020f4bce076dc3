import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createDeviceFixture, type DeviceFixture, resultOf } from "./device-fixture.js";
import { oauthClientId } from "./fixture.js";
import type { Harness } from "./harness.js";

/** An independent in-memory model of the state machine of a device authorization (DECISIONS section 4). */
interface Model {
  now: number;
  readonly expiresAt: number;
  approverActive: boolean;
  state: "pending" | "approved" | "denied" | "consumed" | "burned";
  interval: number;
  lastPoll: number;
  consumption: { readonly key: string | undefined; readonly at: number } | undefined;
  revoked: boolean;
}

type Command =
  | { readonly verb: "exchange"; readonly caller: string; readonly key: string | undefined }
  | { readonly verb: "approve" | "deny" | "disable" | "enable" };

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      verb: fc.constant("exchange" as const),
      caller: fc.constantFrom(oauthClientId, oauthClientId, oauthClientId, oauthClientId, "other-client"),
      key: fc.constantFrom(undefined, "key-1", "key-1", "key-2"),
    }),
  },
  { weight: 3, arbitrary: fc.record({ verb: fc.constantFrom("approve", "approve", "deny", "disable", "enable") }) },
);

/** Commands that are issued concurrently, after the clock has advanced. */
const group = fc.record({
  seconds: fc.constantFrom(0, 1, 4.5, 5, 9, 59, 60, 400),
  commands: fc.array(command, { maxLength: 6 }),
});

function expected(model: Model, command: Command): string {
  switch (command.verb) {
    case "disable":
    case "enable":
      model.approverActive = command.verb === "enable";
      return "done";
    case "approve":
    case "deny":
      if (!model.approverActive) return "PRINCIPAL_DISABLED";
      if (model.state !== "pending" || model.now >= model.expiresAt) return "DEVICE_AUTHORIZATION_DECIDED";
      model.state = command.verb === "approve" ? "approved" : "denied";
      return "answered";
    case "exchange":
      return expectedExchange(model, command);
  }
}

function expectedExchange(model: Model, { caller, key }: Extract<Command, { verb: "exchange" }>): string {
  const { state, now, consumption } = model;
  if (caller !== oauthClientId) {
    if (state === "consumed") model.revoked = true;
    return "DEVICE_CODE_INVALID";
  }
  if (consumption !== undefined) {
    const sameCall = key !== undefined && key === consumption.key && now - consumption.at < 60_000;
    return sameCall && !model.revoked && model.approverActive ? "approved" : "DEVICE_CODE_CONSUMED";
  }
  if (state === "denied" || state === "burned") return "access_denied";
  if (now >= model.expiresAt) return "expired_token";
  if (state === "approved") {
    if (!model.approverActive) {
      model.state = "burned";
      return "PRINCIPAL_DISABLED";
    }
    model.state = "consumed";
    model.consumption = { key, at: now };
    return "approved";
  }
  if (now - model.lastPoll < model.interval * 900) {
    model.interval = Math.min(model.interval + 5, 60);
    return `slow_down ${model.interval}`;
  }
  model.lastPoll = now;
  return `authorization_pending ${model.interval}`;
}

async function actual(device: DeviceFixture, code: string, command: Command): Promise<string> {
  switch (command.verb) {
    case "disable":
    case "enable":
      await device.setApproverActive(command.verb === "enable");
      return "done";
    case "approve":
    case "deny": {
      const outcome = await device.answer(`user-${code}`, command.verb === "deny" ? "deny" : undefined);
      return outcome.ok ? "answered" : outcome.reason;
    }
    case "exchange": {
      const outcome = await device.exchange(code, command);
      return "intervalSeconds" in outcome ? `${resultOf(outcome)} ${outcome.intervalSeconds}` : resultOf(outcome);
    }
  }
}

export function describeDeviceAuthorizationModel({ open }: Harness): void {
  describe("model: a device authorization under random concurrent calls", () => {
    it("processes concurrent calls in the order in which they were issued", async () => {
      const { storage, clock } = await open();
      const device = createDeviceFixture(storage, clock);
      let codes = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(group, { maxLength: 8 }), async (groups) => {
          codes += 1;
          const code = `code-${codes}`;
          await device.setUp();
          await device.start(code);
          const model: Model = {
            now: clock.now(),
            expiresAt: clock.now() + 600_000,
            approverActive: true,
            state: "pending",
            interval: 5,
            lastPoll: Number.NEGATIVE_INFINITY,
            consumption: undefined,
            revoked: false,
          };
          for (const { seconds, commands } of groups) {
            clock.advance(seconds * 1000);
            model.now = clock.now();
            const answers = await Promise.all(commands.map((each) => actual(device, code, each)));
            expect(answers).toEqual(commands.map((each) => expected(model, each)));
          }
          expect(await device.find(code)).toMatchObject({ state: model.state, intervalSeconds: model.interval });
        }),
        { numRuns: 60 },
      );
    });
  });
}
