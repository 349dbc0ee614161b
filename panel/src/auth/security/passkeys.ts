/** What browsers do with passkeys. Loaded with its library when somebody presses the button. */
import { t } from "@lingui/core/macro";
import type { startAuthentication, startRegistration } from "@simplewebauthn/browser";
import { responseOf, api, ApiError, type IdentityProof, type Passkey } from "../../base/api.ts";

const library = () => import("@simplewebauthn/browser");

type PasskeyOptions = Parameters<typeof startAuthentication>[0]["optionsJSON"];
type Made = Parameters<typeof startRegistration>[0]["optionsJSON"];

/** The browser's answer to a question of the server. */
export async function askPasskey() {
  const [{ startAuthentication: start }, { data }] = await Promise.all([
    library(),
    responseOf(api.POST("/admin/v1/auth/passkey/options")),
  ]);
  return start({ optionsJSON: data as PasskeyOptions }).catch(explain);
}

/** Sets the cookies of a session. */
export async function signInByPasskey(): Promise<void> {
  const credential = await askPasskey();
  await responseOf(api.POST("/admin/v1/auth/passkey", { body: { credential: credential as never } }));
}

export async function addPasskey(proof: IdentityProof): Promise<Passkey> {
  const [{ startRegistration: start }, { data }] = await Promise.all([
    library(),
    responseOf(api.POST("/admin/v1/account/passkeys/options", { body: proof })),
  ]);
  const credential = await start({ optionsJSON: data as unknown as Made }).catch(explain);
  const body = { credential: credential as never };
  return (await responseOf(api.POST("/admin/v1/account/passkeys", { body }))).data;
}

/** @throws ApiError with a sentence */
function explain(error: unknown): never {
  throw new ApiError(400, { message: sentenceOf(error instanceof Error ? error.name : "") });
}

function sentenceOf(name: string): string {
  switch (name) {
    case "NotAllowedError":
    case "AbortError":
      return t`The browser used no passkey: this was cancelled, took too long, or there is none here.`;
    case "InvalidStateError":
      return t`This device has a passkey for the account already.`;
    case "SecurityError":
      return t`Passkeys need the name of this site in the address, not an IP address.`;
    default:
      return t`The browser or device can’t do this. Try another one.`;
  }
}
