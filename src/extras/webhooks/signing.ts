/** Signatures of Standard Webhooks 1.0 (https://www.standardwebhooks.com): HMAC-SHA256 of id, time and body. */
import { createHmac, randomBytes } from "node:crypto";

const PREFIX = "whsec_";
const NEW_BYTES = 32;

/** Base64 of 24 to 64 bytes. */
export const SECRET_FORM = /^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/;
const BYTES = { least: 24, most: 64 };

export const newSecret = (): string => PREFIX + randomBytes(NEW_BYTES).toString("base64");

export function isSecret(text: string): boolean {
  const { length } = keyOf(text);
  return SECRET_FORM.test(text) && length >= BYTES.least && length <= BYTES.most;
}

const keyOf = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), "base64");

type Message = { id: string; body: string };

/** @param now epoch milliseconds @param secrets one signature each */
export function signedHeaders({ id, body }: Message, secrets: readonly string[], now: number) {
  const timestamp = String(Math.floor(now / 1_000));
  const signatures = secrets.map((secret) => {
    const mac = createHmac("sha256", keyOf(secret)).update(`${id}.${timestamp}.${body}`);
    return `v1,${mac.digest("base64")}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}
