/** A provider of OpenID Connect (oidc-provider) as a process of its own: `spawnProvider` starts this file. */
import { createServer } from "node:http";
import {
  CompactEncrypt,
  decodeJwt,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  SignJWT,
  UnsecuredJWT,
} from "jose";
import { Provider } from "oidc-provider";

/** What the tests change by `POST /control`. */
export type ProviderState = {
  /** Who signs in, without a prompt. Empty: nobody agrees. */
  subject: string;
  claims: Record<string, unknown>;
  /**
   * Replace claims of the next ID tokens, which the provider's own key signs; `key`: a key that it does not publish.
   */
  tampered: Record<string, unknown> & { key?: "foreign" };
  /** How the user info comes; else as JSON. `foreign`, `none`: signed by an unknown key, or not at all. */
  userInfo: "signed" | "foreign" | "none" | "secret" | "encrypted" | "other audience" | null;
  /** Its entry in the description. */
  userInfoAlgorithms: string[] | null;
  /** All responses: this status. */
  failing: number | null;
  /** Makes a new key, and forgets the old one. */
  rotate?: boolean;
};

const state: ProviderState = {
  subject: "anna",
  claims: {},
  tampered: {},
  userInfo: null,
  userInfoAlgorithms: null,
  failing: null,
};
const clients = JSON.parse(process.argv[2] ?? "[]") as object[];
let discoveries = 0;
let issuer = "";
let key: JWK;
let handle: ReturnType<Provider["callback"]>;

const OF_PROVIDERS = ["urn:zitadel:iam:org:project:roles", "https://example.com/roles", "cognito:groups"];

async function newKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  return { ...(await exportJWK(privateKey)), kid: crypto.randomUUID(), alg: "RS256", use: "sig" };
}

async function open(): Promise<void> {
  key = await newKey();
  const provider = new Provider(issuer, {
    clients: clients as never,
    jwks: { keys: [key as never] },
    cookies: { keys: ["a key of a test"] },
    features: { devInteractions: { enabled: false } },
    scopes: ["openid", "profile", "email"],
    claims: {
      profile: ["preferred_username", "name", "groups", "realm_access", "locale", ...OF_PROVIDERS],
      email: ["email", "email_verified", "xms_edov"],
    },
    pkce: { required: () => true },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ ...state.claims, sub: id }) }),
    async loadExistingGrant(ctx) {
      const grant = new ctx.oidc.provider.Grant({
        clientId: ctx.oidc.client!.clientId,
        accountId: ctx.oidc.session!.accountId!,
      });
      grant.addOIDCScope("openid profile email");
      await grant.save();
      return grant;
    },
  });
  provider.use(async (ctx, next) => {
    if (ctx.path.startsWith("/interaction/")) {
      const denied = { error: "access_denied", error_description: "nobody agrees" };
      const result = state.subject === "" ? denied : { login: { accountId: state.subject } };
      return provider.interactionFinished(ctx.req, ctx.res, result, { mergeWithLastSubmission: false });
    }
    await next();
    if (ctx.path.startsWith("/.well-known/") && state.userInfoAlgorithms !== null)
      (ctx.body as Record<string, unknown>)["userinfo_signing_alg_values_supported"] =
        state.userInfoAlgorithms;
    if (ctx.path === "/me" && ctx.status === 200 && state.userInfo !== null) {
      ctx.body = await userInfoAs(state.userInfo, ctx.body as Record<string, unknown>);
      ctx.type = "application/jwt";
    }
    const body = ctx.body as { id_token?: string } | undefined;
    if (body?.id_token !== undefined) body.id_token = await tamper(body.id_token);
  });
  handle = provider.callback();
}

async function userInfoAs(form: NonNullable<ProviderState["userInfo"]>, claims: Record<string, unknown>) {
  const all = { iss: issuer, aud: form === "other audience" ? "another client" : "waymark", ...claims };
  if (form === "none") return new UnsecuredJWT(all).encode();
  const jwt = new SignJWT(all);
  if (form === "secret") {
    const secret = new TextEncoder().encode("secret+of/the:client%secret+of/the:client%");
    return jwt.setProtectedHeader({ alg: "HS256" }).sign(secret);
  }
  const signer = form === "foreign" ? { ...(await newKey()), kid: key.kid! } : key;
  const signed = await jwt
    .setProtectedHeader({ alg: "RS256", kid: key.kid! })
    .sign(await importJWK(signer, "RS256"));
  if (form !== "encrypted") return signed;
  return new CompactEncrypt(new TextEncoder().encode(signed))
    .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
    .encrypt(crypto.getRandomValues(new Uint8Array(32)));
}

async function tamper(token: string): Promise<string> {
  const { key: which, ...claims } = state.tampered;
  if (which === undefined && Object.keys(claims).length === 0) return token;
  const signer = which === "foreign" ? { ...(await newKey()), kid: key.kid! } : key;
  return new SignJWT({ ...decodeJwt(token), ...claims })
    .setProtectedHeader({ alg: "RS256", kid: key.kid! })
    .sign(await importJWK(signer, "RS256"));
}

const server = createServer((request, response) => {
  if (request.url === "/control") {
    void (async () => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      Object.assign(state, JSON.parse(Buffer.concat(parts).toString()));
      if (state.rotate === true) await open();
      delete state.rotate;
      response.end(JSON.stringify({ discoveries }));
    })();
    return;
  }
  if (request.url?.startsWith("/.well-known/") === true) discoveries += 1;
  if (state.failing !== null) {
    response.writeHead(state.failing).end();
    return;
  }
  void handle(request, response);
});

server.listen(0, "127.0.0.1", async () => {
  issuer = `http://localhost:${(server.address() as { port: number }).port}`;
  await open();
  process.stdout.write(`issuer ${issuer}\n`);
});
