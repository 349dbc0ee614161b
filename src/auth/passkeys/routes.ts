import type { RequestChecks } from "../auth-core.ts";
import { z } from "zod";
import { actorOf, type Endpoint, endpoint, type HttpContext } from "../../platform/http/endpoint.ts";
import { requireJson, SHORT_LIMIT } from "../../platform/http/read-body.ts";
import { idParameter } from "../../lib/id-parameter.ts";
import { namedObject } from "../../lib/named-object.ts";
import { ownProof, type ProveOwn } from "../second-factor/own-proof.ts";
import { deviceTokens, refreshTokens } from "../sessions/cookies.ts";
import { isFromBrowser } from "../sessions/origin.ts";
import { respondSignedIn, sessionResponse, signedInMessage } from "../sessions/routes.ts";
import {
  assertion,
  creationOptions,
  newCredential,
  passkeyName,
  passkeyView,
  requestOptions,
  viewPasskey,
} from "./passkey.ts";
import type { Passkeys } from "./service.ts";

/** Bytes; keys of some algorithms are long. */
const CREDENTIAL_LIMIT = 32 * 1024;

type Deps = RequestChecks & {
  passkeys: Passkeys;
  prove: ProveOwn;
  /** @throws Forbidden while people sign in by OpenID Connect only */
  refusePasskey(): void;
};

/** Relative to {admin}/v1. */
export const passkeyEndpoints = (deps: Deps): Endpoint[] => [
  ...signInEndpoints(deps),
  ...additionEndpoints(deps),
  ...ownEndpoints(deps),
];

const siteOf = (c: HttpContext) => ({ origin: c.env.origin() });
const own = { access: "account", scope: null, tag: "account" } as const;

function signInEndpoints(deps: Deps): Endpoint[] {
  const { passkeys, config, addressLimit, addressOf, clientOf, refuseForeign, refusePasskey } = deps;
  const open = { access: "public", scope: null, tag: "auth" } as const;
  return [
    endpoint("POST /auth/passkey/options", {
      ...open,
      summary: "Begin to sign in with a passkey: what the browser asks for, valid for five minutes",
      failures: [403],
      admit(c) {
        refuseForeign(c);
        refusePasskey();
      },
      response: requestOptions,
      handle: ({ c }) => passkeys.requestOptions(siteOf(c)),
    }),
    endpoint("POST /auth/passkey", {
      ...open,
      summary: "Sign in with a passkey; sets the three cookies of a session",
      body: namedObject("PasskeySignIn", { credential: assertion }),
      bodyLimit: CREDENTIAL_LIMIT,
      failures: [401, 403, 429],
      async admit(c) {
        refuseForeign(c);
        requireJson(c.req.raw);
        refusePasskey();
        await addressLimit.take(addressOf(c));
      },
      response: sessionResponse,
      async handle({ c, body: { credential } }) {
        const via = isFromBrowser(c.req.raw) ? "panel" : "api";
        const sent = { refreshTokens: refreshTokens(c), deviceTokens: deviceTokens(c) };
        const client = clientOf(c);
        const signedIn = await passkeys.signIn({ ...sent, credential, client, via, site: siteOf(c) });
        return respondSignedIn(c, config, { signedIn, message: signedInMessage(c, config) });
      },
    }),
  ];
}

function additionEndpoints(deps: Deps): Endpoint[] {
  const { passkeys, prove, addressLimit, addressOf, clientOf } = deps;
  return [
    endpoint("POST /account/passkeys/options", {
      ...own,
      ownsPath: true,
      summary:
        "Begin to add a passkey: what the browser makes it from, valid for five minutes in this session",
      admit: (c) => addressLimit.take(addressOf(c)),
      body: ownProof,
      failures: [409, 429],
      response: creationOptions,
      async handle({ c, body, account }) {
        await prove(account, body, addressOf(c));
        return passkeys.creation(account, siteOf(c));
      },
    }),
    endpoint("POST /account/passkeys", {
      ...own,
      summary: "Add the passkey that the browser has made",
      body: namedObject("NewPasskey", {
        name: passkeyName.nullish().describe("default: browser and system, such as Firefox · Linux"),
        credential: newCredential,
      }),
      bodyLimit: CREDENTIAL_LIMIT,
      failures: [404, 409],
      status: 201,
      response: passkeyView,
      async handle({ c, body: { name, credential }, account }) {
        const client = clientOf(c);
        const usual = [client.browser, client.os].filter((one) => one !== null).join(" · ") || "Passkey";
        const given = { credential, name: name ?? usual, site: siteOf(c), client, actor: actorOf(account) };
        return viewPasskey(await passkeys.add(account, given));
      },
    }),
  ];
}

function ownEndpoints({ passkeys, prove, addressLimit, addressOf }: Deps): Endpoint[] {
  const item = { ...own, failures: [404] } as const;
  const idOf = (c: HttpContext): number => idParameter(c, "NotFound", "There is no such passkey.");
  return [
    endpoint("GET /account/passkeys", {
      ...own,
      summary: "List your passkeys, oldest first",
      response: z.array(passkeyView),
      handle: async ({ account }) => (await passkeys.listOf(account.id)).map(viewPasskey),
    }),
    endpoint("PATCH /account/passkeys/:id", {
      ...item,
      summary: "Rename a passkey",
      body: namedObject("PasskeyName", { name: passkeyName }),
      response: passkeyView,
      handle: async ({ c, body, account }) =>
        viewPasskey(await passkeys.rename(account, idOf(c), body.name, actorOf(account))),
    }),
    endpoint("DELETE /account/passkeys/:id", {
      ...own,
      summary: "Remove a passkey: nobody signs in with it any more; its sessions go on",
      body: ownProof,
      bodyLimit: SHORT_LIMIT,
      admit: (c) => addressLimit.take(addressOf(c)),
      failures: [404, 429],
      done: "Passkey removed",
      async handle({ c, body, account }) {
        const id = idOf(c);
        await prove(account, body, addressOf(c));
        await passkeys.remove(account, id, actorOf(account));
      },
    }),
  ];
}
