import type { PublicKeyCredentialCreationOptionsJSON } from "@simplewebauthn/browser";
import { generateUserKeys, importUserKeys } from "../keys/user-keys.js";
import { browserName } from "../sessions/browser-name.js";
import { callApi } from "./api.js";
import { keepUserKeys } from "./kept-keys.js";
import { newPasskeyFor } from "./new-passkey.js";
import { newRecoveryCode, showRecoveryCode } from "./new-recovery-code.js";
import { element, enableButtons, fieldValue, onSubmit, run } from "./page.js";

interface Begun {
  readonly accountId: string;
  readonly passkey: PublicKeyCredentialCreationOptionsJSON;
}

async function signUp(displayName: string, withPasskey: boolean): Promise<void> {
  // Generating takes a while: at the same time.
  const generating = generateUserKeys();
  const { accountId, passkey: options } = await callApi<Begun>("sign-up/begin", { displayName });
  const keys = await generating;
  const passkey = withPasskey
    ? await newPasskeyFor({ accountId, options, name: browserName(navigator.userAgent), keys })
    : undefined;
  const { printed, recovery } = await newRecoveryCode(accountId, keys);
  await callApi("sign-up/finish", { passkey, recovery });
  await keepUserKeys(accountId, await importUserKeys(keys));
  element("sign-up", HTMLFormElement).hidden = true;
  showRecoveryCode(printed).then(() => location.assign("/account"));
}

onSubmit("sign-up", (form, button) => {
  const withPasskey = button?.getAttribute("value") !== "no";
  run(withPasskey ? "Waiting for your passkey…" : "Creating your account…", () =>
    signUp(fieldValue(form, "displayName"), withPasskey),
  );
});

enableButtons();
