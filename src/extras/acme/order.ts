/**
 * The order of one host. Each step is stored before the next one, so that a process that ends anywhere leaves an order
 * that the next run continues, on any node.
 */
import { createPrivateKey, generateKeyPairSync, X509Certificate } from "node:crypto";
import type { KeyPair } from "../../lib/certificate.ts";
import { fault } from "../../lib/fault.ts";
import { rest } from "../../lib/rest.ts";
import { type Authority, AuthorityError, type Order, reasonOf } from "./authority.ts";
import type { StoredCertificate } from "./certificates.repository.ts";
import { signingRequest } from "./signing-request.ts";

export type OrderUnderWay = Pick<StoredCertificate, "orderUrl" | "challenge"> & {
  /** PEM. */
  orderKey: string | null;
};

type Deps = {
  authority: Authority;
  host: string;
  /** Stores the step. */
  save(step: Partial<OrderUnderWay>): Promise<void>;
  signal: AbortSignal;
  pollMs?: number;
};

const POLL_MS = 1_000;
const MOST_POLLS = 120;

export const newKey = (): string =>
  generateKeyPairSync("ec", { namedCurve: "prime256v1" }).privateKey.export({
    type: "pkcs8",
    format: "pem",
  }) as string;

/**
 * Continues the order, or begins another if the authority does not know it any more.
 *
 * @param replaces the certificate that is renewed, as of `renewalId`
 * @throws AuthorityError
 */
export async function obtainCertificate(
  deps: Deps,
  under: OrderUnderWay,
  replaces: string | null,
): Promise<KeyPair> {
  const { authority, host, save } = deps;
  let order = under.orderUrl === null ? null : await lookAgain(authority, under.orderUrl);
  if (order === null) {
    order = await authority.order(host, replaces);
    under = { orderUrl: order.url, orderKey: null, challenge: null };
    await save(under);
    fault("acme.ordered");
  }
  if (order.status === "pending") {
    await proveControl(deps, order);
    order = await settled(deps, order, ["pending"]);
  }
  let key = under.orderKey;
  if (order.status === "ready") {
    key ??= newKey();
    await save({ orderKey: key });
    fault("acme.keyed");
    await authority.finalize(order.finalize, signingRequest(host, createPrivateKey(key)));
    fault("acme.finalized");
  }
  order = await settled(deps, order, ["ready", "processing"]);
  if (order.status !== "valid" || order.certificate === undefined) throw await refusalOf(authority, order);
  const pair = { cert: await authority.certificate(order.certificate), key: key ?? "" };
  validateIssued(pair, host);
  fault("acme.issued");
  return pair;
}

/** Null if it is gone, or can't become valid any more. */
async function lookAgain(authority: Authority, url: string): Promise<Order | null> {
  try {
    const order = await authority.look(url);
    return order.status === "invalid" ? null : order;
  } catch (error) {
    if (error instanceof AuthorityError && (error.kind === "gone" || error.kind === "refused")) return null;
    throw error;
  }
}

/** Serves what the authority looks for at the host. */
async function proveControl({ authority, host, save }: Deps, order: Order): Promise<void> {
  for (const url of order.authorizations) {
    const { status, challenges } = await authority.authorization(url);
    if (status !== "pending") continue;
    const challenge = challenges.find(({ type }) => type === "http-01");
    if (challenge?.token === undefined)
      throw new AuthorityError("refused", `The authority offers no HTTP-01 challenge for ${host}.`);
    await save({ challenge: authority.keyAuthorization(challenge.token) });
    fault("acme.challenged");
    if (challenge.status === "pending") await authority.begin(challenge.url);
    fault("acme.begun");
  }
}

async function settled(
  { authority, host, signal, pollMs = POLL_MS }: Deps,
  order: Order,
  waits: readonly Order["status"][],
): Promise<Order> {
  for (let polls = 0; polls < MOST_POLLS; polls++) {
    await rest(polls < 3 ? pollMs / 4 : pollMs, signal);
    signal.throwIfAborted();
    const now = await authority.look(order.url);
    if (!waits.includes(now.status)) return now;
  }
  throw new AuthorityError("limited", `The authority has not decided about ${host} in two minutes.`);
}

async function refusalOf(authority: Authority, order: Order): Promise<AuthorityError> {
  for (const url of order.authorizations) {
    const { challenges } = await authority.authorization(url);
    const reason = challenges.map(({ error }) => error && reasonOf(error)).find(Boolean);
    if (reason) return new AuthorityError("refused", `The authority refuses: ${reason}`);
  }
  return new AuthorityError(
    "refused",
    `The authority refuses: ${reasonOf(order.error ?? { detail: "no reason" })}`,
  );
}

/** @throws AuthorityError */
function validateIssued({ cert, key }: KeyPair, host: string): void {
  let isFit = false;
  try {
    const leaf = new X509Certificate(cert);
    isFit = leaf.checkHost(host) !== undefined && leaf.checkPrivateKey(createPrivateKey(key));
  } catch {
    // It is none.
  }
  if (!isFit) throw new AuthorityError("gone", `The authority has issued what is no certificate of ${host}.`);
}

/** What names a certificate in RFC 9773, section 4.1; null without a key identifier of its authority. */
export function renewalId(cert: string): string | null {
  const { raw, serialNumber } = new X509Certificate(cert);
  // The extension 2.5.29.35: an octet string, a sequence in it, and the identifier with tag 0.
  const at = raw.indexOf(Buffer.from("0603551d23", "hex"));
  const value = at < 0 ? Buffer.alloc(0) : raw.subarray(at + 5, at + 200);
  const [tag, , sequence, , identifier, length = 0] = value;
  if (tag !== 0x04 || sequence !== 0x30 || identifier !== 0x80) return null;
  const digits = serialNumber.length % 2 === 0 ? serialNumber : `0${serialNumber}`;
  const serial = Buffer.from(/^[89a-f]/i.test(digits) ? `00${digits}` : digits, "hex");
  return `${value.subarray(6, 6 + length).toString("base64url")}.${serial.toString("base64url")}`;
}
