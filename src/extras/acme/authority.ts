/**
 * A client of certificate authorities: of ACME (RFC 8555) what orders by HTTP-01 need, and renewal information
 * (RFC 9773). Requests are signed JSON (ES256) with a nonce of the authority.
 *
 * Own code: loading acme-client 5.4 takes 40 MB and holds the event loop for 200 ms. It waits as long as an authority
 * says, without bound or signal, hides how long that is, and knows no renewal information.
 */
import { createHash, createPublicKey, type KeyObject, sign } from "node:crypto";
import { z } from "zod";
import { readBounded } from "../../lib/bounded-text.ts";
import { messageOf } from "../../lib/errors.ts";
import { parseRetryAfter } from "../../lib/retry-after.ts";

/**
 * `unreachable`: the authority does not respond, or fails. `limited`: not now, as the authority has too much to do. `gone`: there is no such order.
 * `refused`: everything else. `retryAt`: not before, in epoch milliseconds; null: it did not say.
 */
export class AuthorityError extends Error {
  constructor(
    readonly kind: "unreachable" | "limited" | "gone" | "refused",
    message: string,
    readonly retryAt: number | null = null,
  ) {
    super(message);
  }
}

const TIMEOUT_MS = 30_000;
const MOST_BYTES = 512 * 1024;
const MOST_NONCES_REFUSED = 5;
const LONGEST_REASON = 500;
const LONGEST_WAIT_MS = 7 * 86_400_000;

const url = z.url({ protocol: /^https?$/ }).max(2_000);
const directorySchema = z.object({
  newNonce: url,
  newAccount: url,
  newOrder: url,
  renewalInfo: url.optional(),
});
const problemSchema = z.object({ type: z.string().default(""), detail: z.string().default("") });
const orderSchema = z.object({
  status: z.enum(["pending", "ready", "processing", "valid", "invalid"]),
  authorizations: z.array(url).max(10),
  finalize: url,
  certificate: url.optional(),
  error: problemSchema.optional(),
});
const authorizationSchema = z.object({
  status: z.string(),
  challenges: z
    .array(
      z.object({
        type: z.string(),
        url,
        token: z.string().optional(),
        status: z.string(),
        error: problemSchema.optional(),
      }),
    )
    .max(20),
});
const renewalSchema = z.object({
  suggestedWindow: z.object({
    start: z.iso.datetime({ offset: true }),
    end: z.iso.datetime({ offset: true }),
  }),
});

export type Order = z.output<typeof orderSchema> & { url: string };

type Deps = {
  directory: string;
  /** Of the account, on the curve P-256. */
  key: KeyObject;
  signal: AbortSignal;
  now(): number;
  fetch?: typeof fetch;
};

type Reply = { status: number; headers: Headers; text: string };

export type Authority = Awaited<ReturnType<typeof openAuthority>>;

/** Each method rejects with AuthorityError. */
export async function openAuthority(deps: Deps) {
  const { directory, key } = deps;
  const send = createSender(deps);
  const known = read(directorySchema, (await send(directory)).text);
  const { kty, crv, x, y } = createPublicKey(key).export({ format: "jwk" });
  // In the order of RFC 7638.
  const jwk = { crv, kty, x, y };
  const thumbprint = createHash("sha256").update(JSON.stringify(jwk)).digest("base64url");
  let account: string | null = null;
  let nonce: string | null = null;

  async function takeNonce(): Promise<string> {
    const given = nonce ?? (await send(known.newNonce, { method: "HEAD" })).headers.get("replay-nonce");
    nonce = null;
    if (given === null) throw new AuthorityError("unreachable", "The authority gives no nonce.");
    return given;
  }

  /** @param content null: only asks */
  async function post(to: string, content: object | null): Promise<Reply> {
    for (let refused = 0; ; refused++) {
      const who = account === null ? { jwk } : { kid: account };
      const head = encoded({ alg: "ES256", nonce: await takeNonce(), url: to, ...who });
      const payload = content === null ? "" : encoded(content);
      const signature = sign("sha256", Buffer.from(`${head}.${payload}`), { key, dsaEncoding: "ieee-p1363" });
      const body = JSON.stringify({ protected: head, payload, signature: signature.toString("base64url") });
      const headers = { "Content-Type": "application/jose+json" };
      try {
        const reply = await send(to, { method: "POST", headers, body });
        nonce = reply.headers.get("replay-nonce");
        return reply;
      } catch (error) {
        if (!(error instanceof BadNonce) || refused === MOST_NONCES_REFUSED) throw error;
        nonce = error.next;
      }
    }
  }

  const orderAt = (at: string, { text }: Reply): Order => ({ ...read(orderSchema, text), url: at });

  return {
    /** Finds the account of the key, or makes it. */
    async register(email: string): Promise<void> {
      const contact = email === "" ? {} : { contact: [`mailto:${email}`] };
      account = locationOf(await post(known.newAccount, { termsOfServiceAgreed: true, ...contact }));
    },
    /** @param replaces see `renewalId` */
    async order(host: string, replaces: string | null): Promise<Order> {
      const replacing = replaces !== null && known.renewalInfo !== undefined ? { replaces } : {};
      const identifiers = [{ type: "dns", value: host }];
      const reply = await post(known.newOrder, { identifiers, ...replacing });
      return orderAt(locationOf(reply), reply);
    },
    look: async (at: string): Promise<Order> => orderAt(at, await post(at, null)),
    authorization: async (at: string) => read(authorizationSchema, (await post(at, null)).text),
    /** What the host has to serve for a token. */
    keyAuthorization: (token: string): string => `${token}.${thumbprint}`,
    /** The host serves it. */
    async begin(challenge: string): Promise<void> {
      await post(challenge, {});
    },
    async finalize(to: string, request: Buffer): Promise<void> {
      await post(to, { csr: request.toString("base64url") });
    },
    /** PEM, with its chain. */
    certificate: async (at: string): Promise<string> => (await post(at, null)).text,
    /** When the authority suggests to renew, and when to ask again; null if it makes no suggestions. */
    async renewal(id: string): Promise<{ start: number; end: number; askAt: number | null } | null> {
      if (known.renewalInfo === undefined) return null;
      const { text, headers } = await send(`${known.renewalInfo}/${id}`);
      const { start, end } = read(renewalSchema, text).suggestedWindow;
      const askAt = retryAtOf(headers, deps.now());
      return { start: Date.parse(start), end: Date.parse(end), askAt };
    },
  };
}

class BadNonce extends AuthorityError {
  constructor(readonly next: string | null) {
    super("refused", "The authority refuses its own nonces.");
  }
}

const encoded = (content: object): string => Buffer.from(JSON.stringify(content)).toString("base64url");

function read<T>(schema: z.ZodType<T>, text: string): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new AuthorityError(
      "unreachable",
      "The authority sends what is no ACME. Check server.acme_directory.",
    );
  }
}

function locationOf({ headers }: Reply): string {
  const parsed = url.safeParse(headers.get("location"));
  if (!parsed.success) throw new AuthorityError("unreachable", "The authority gives no address.");
  return parsed.data;
}

function retryAtOf(headers: Headers, now: number): number | null {
  const ms = parseRetryAfter(headers.get("retry-after"), now, LONGEST_WAIT_MS);
  return ms === null ? null : now + ms;
}

const tooLong = () => new Error("its response is too long");

function createSender({ signal, now, fetch: request = fetch }: Deps) {
  return async (to: string, init: RequestInit = {}): Promise<Reply> => {
    let reply: Reply;
    try {
      const bounds = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
      const response = await request(to, { ...init, signal: bounds, redirect: "error" });
      const text = await readBounded(response, MOST_BYTES, tooLong);
      reply = { status: response.status, headers: response.headers, text };
    } catch (error) {
      const host = URL.parse(to)?.host ?? to;
      throw new AuthorityError("unreachable", `${host} does not respond: ${messageOf(error)}`);
    }
    if (reply.status < 400) return reply;
    throw failureOf(reply, now());
  };
}

function failureOf({ status, headers, text }: Reply, now: number): AuthorityError {
  const retryAt = retryAtOf(headers, now);
  let problem: z.output<typeof problemSchema> = { type: "", detail: "" };
  try {
    problem = problemSchema.parse(JSON.parse(text));
  } catch {
    // A proxy responds for it.
  }
  const type = problem.type.slice(problem.type.lastIndexOf(":") + 1);
  const reason = `The authority responds: ${reasonOf(problem) || `status ${status}`}`;
  if (type === "badNonce") return new BadNonce(headers.get("replay-nonce"));
  if (status === 429 || type === "rateLimited") return new AuthorityError("limited", reason, retryAt);
  if (status >= 500) return new AuthorityError("unreachable", reason, retryAt);
  return new AuthorityError(status === 404 ? "gone" : "refused", reason, retryAt);
}

/** In one line, without control characters. */
export const reasonOf = ({ detail }: { detail: string }): string =>
  detail.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").slice(0, LONGEST_REASON);
