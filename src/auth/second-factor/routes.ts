import type { RequestChecks } from "../auth-core.ts";
import { z } from "zod";
import { actorOf, type Endpoint, endpoint, type HttpContext } from "../../platform/http/endpoint.ts";
import { SHORT_LIMIT } from "../../platform/http/read-body.ts";
import { createView } from "../../lib/case-names.ts";
import { appError } from "../../lib/errors.ts";
import { namedObject } from "../../lib/named-object.ts";
import { codeSchema } from "./codes.ts";
import { ownProof, type ProveOwn } from "./own-proof.ts";
import type { SecondFactor } from "./service.ts";

const stateView = namedObject("TotpState", {
  enabled: z.boolean().describe("a sign-in by password needs a code"),
  enabled_at: z.iso.datetime().nullable(),
  recovery_codes_left: z.int(),
});
const viewState = createView(stateView);

const beginning = namedObject("NewTotp", {
  secret: z.string().describe("base32; for apps that can't read the QR code"),
  uri: z.string().describe("otpauth://totp/…, for a QR code"),
});

const recoveryCodes = namedObject("RecoveryCodes", {
  recovery_codes: z.array(z.string()).describe("each replaces one code of the app once; shown only here"),
});

type Deps = RequestChecks & { secondFactor: SecondFactor; prove: ProveOwn };

export function secondFactorEndpoints({ secondFactor, prove, addressLimit, addressOf }: Deps): Endpoint[] {
  const shared = { access: "account", scope: null, tag: "account" } as const;
  const guarded = {
    bodyLimit: SHORT_LIMIT,
    admit: (c: HttpContext) => addressLimit.take(addressOf(c)),
  } as const;
  return [
    endpoint("GET /account/totp", {
      ...shared,
      summary: "Whether an authenticator app is set up, and how many recovery codes are left",
      response: stateView,
      handle: async ({ account }) => viewState(await secondFactor.totpState(account.id)),
    }),
    endpoint("POST /account/totp", {
      ...shared,
      ...guarded,
      summary: "Begin to set up an authenticator app; sign-ins ask for its codes once one is confirmed",
      body: ownProof,
      failures: [409, 429],
      status: 201,
      response: beginning,
      async handle({ c, body, account }) {
        await prove(account, body, addressOf(c));
        return secondFactor.enrol(account);
      },
    }),
    endpoint("DELETE /account/totp", {
      ...shared,
      ...guarded,
      summary: "Remove the authenticator app and its recovery codes; needs the password or a code",
      body: namedObject("TotpRemoval", { password: z.string().nullish(), code: codeSchema.nullish() }),
      failures: [404, 429],
      done: "Authenticator app removed",
      async handle({ c, body: { password, code }, account }) {
        if (!password && !code) throw appError("BadRequest", "Send the password, or a code of the app.");
        if (password) await prove(account, { password, totp: code }, addressOf(c), "code");
        await secondFactor.removeAuthenticator(account, password ? null : (code ?? ""), actorOf(account));
      },
    }),
    endpoint("POST /account/totp/confirm", {
      ...shared,
      bodyLimit: SHORT_LIMIT,
      summary: "Confirm the authenticator app by its first code; returns the recovery codes",
      body: z.object({ code: codeSchema }),
      failures: [404, 409, 429],
      response: recoveryCodes,
      handle: async ({ body, account }) => ({
        recovery_codes: await secondFactor.confirmEnrolment(account, body.code, actorOf(account)),
      }),
    }),
    endpoint("POST /account/totp/recovery-codes", {
      ...shared,
      ...guarded,
      summary: "Make new recovery codes; the old ones end",
      body: ownProof,
      failures: [404, 429],
      response: recoveryCodes,
      async handle({ c, body, account }) {
        await prove(account, body, addressOf(c));
        return { recovery_codes: await secondFactor.renewCodes(account, actorOf(account)) };
      },
    }),
  ];
}
