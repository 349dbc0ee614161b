import type { RowFields } from "../../platform/db/schema.ts";
import { z } from "zod";
import { createView } from "../../lib/case-names.ts";
import { namedObject } from "../../lib/named-object.ts";
import { strictly } from "../../lib/strict-handling.ts";
import { visibleName } from "../visible-name.ts";

export type Passkey = Omit<
  RowFields<"passkeys", { transports: readonly string[]; backedUp: boolean }>,
  "credentialHash"
>;

const LONGEST_NAME = 64;
/** The base64url length of 1,023 bytes. */
const LONGEST_ID = 1_364;

export const passkeyName = visibleName(LONGEST_NAME);

export const passkeyView = namedObject("Passkey", {
  id: z.int(),
  name: z.string(),
  backed_up: z.boolean().describe("synchronized, so that it is on several devices"),
  created_at: z.iso.datetime(),
  last_used_at: z.iso.datetime().nullable(),
});
export const viewPasskey = createView(passkeyView);

const base64url = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .regex(/^[\w-]+$/, "must be base64url");

const credentialId = {
  id: base64url(LONGEST_ID),
  rawId: base64url(LONGEST_ID),
  type: z.literal("public-key"),
};
const clientData = base64url(4_000);

/** `PublicKeyCredential.toJSON()` of WebAuthn, like the next one. */
export const newCredential = namedObject("NewPasskeyCredential", {
  ...credentialId,
  response: z.object({
    clientDataJSON: clientData,
    attestationObject: base64url(8_000),
    transports: z.array(z.string().max(32)).max(16).nullish(),
  }),
});
export type NewCredential = z.output<typeof newCredential>;

export const assertion = namedObject("PasskeyCredential", {
  ...credentialId,
  response: z.object({
    clientDataJSON: clientData,
    authenticatorData: base64url(4_000),
    signature: base64url(8_000),
    userHandle: z.string().max(128).nullish(),
  }),
});
export type Assertion = z.output<typeof assertion>;

// Browsers add what they like.
for (const made of [newCredential, assertion])
  for (const schema of [made, made.shape.response]) strictly.set(schema, { isOpen: true });

const descriptor = z.object({
  id: z.string(),
  type: z.literal("public-key"),
  transports: z.array(z.string()),
});

/** `PublicKeyCredentialCreationOptionsJSON` of WebAuthn. */
export const creationOptions = namedObject("PasskeyCreation", {
  challenge: z.string(),
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  pubKeyCredParams: z.array(z.object({ type: z.literal("public-key"), alg: z.int() })),
  excludeCredentials: z.array(descriptor),
  authenticatorSelection: z.object({
    residentKey: z.literal("required"),
    requireResidentKey: z.literal(true),
    userVerification: z.literal("required"),
  }),
  attestation: z.literal("none"),
  timeout: z.int(),
});

/** `PublicKeyCredentialRequestOptionsJSON` of WebAuthn. */
export const requestOptions = namedObject("PasskeyRequest", {
  challenge: z.string(),
  rpId: z.string(),
  userVerification: z.literal("required"),
  timeout: z.int(),
});
