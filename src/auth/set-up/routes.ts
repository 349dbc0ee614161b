import type { RequestChecks } from "../auth-core.ts";
import { z } from "zod";
import { type Endpoint, endpoint, type HttpContext } from "../../platform/http/endpoint.ts";
import { requireJson, SHORT_LIMIT } from "../../platform/http/read-body.ts";
import { refuseCrossSite } from "../sessions/origin.ts";
import { respondSignedIn, sessionResponse, signedInMessage } from "../sessions/routes.ts";
import { newPasswordSchema } from "../users/user.ts";
import type { SetUp } from "./service.ts";

const secret = z.string().max(64).describe("what follows # in the address that the start printed");

const checkBody = z.object({ secret });
const checkResponse = z.object({
  expires_at: z.iso.datetime(),
  public_url: z.string(),
  click_details: z.boolean(),
  click_addresses: z.boolean(),
});

const setUpBody = checkBody.extend({
  password: newPasswordSchema,
  public_url: z.string().max(2048).describe("features.public_url"),
  click_details: z.boolean().describe("analytics.enable_detailed_logging; the workers start anew for it"),
  click_addresses: z.boolean().describe("analytics.enable_ip_logging"),
  truncated_addresses: z.boolean().optional().describe("true: privacy.addresses is truncated"),
  respect_signals: z.boolean().optional().describe("privacy.respect_signals"),
  forgive_tails: z.boolean().optional().describe("links.forgive_tails"),
  link_passwords: z.boolean().describe("features.enforce_link_passwords"),
});

type Deps = RequestChecks & { setUp: SetUp };

/** Relative to `{routes.frontend_prefix}/v1`. */
export function setUpEndpoints({ setUp, config, addressLimit, addressOf, clientOf }: Deps): Endpoint[] {
  const shared = {
    access: "public",
    scope: null,
    tag: "auth",
    bodyLimit: SHORT_LIMIT,
    async admit(c: HttpContext) {
      refuseCrossSite(c.req.raw, config);
      requireJson(c.req.raw);
      await addressLimit.take(addressOf(c));
    },
  } as const;
  return [
    endpoint("POST /set-up/check", {
      ...shared,
      summary: "Whether the one-time address of the set-up is valid, and the settings that it asks for",
      body: checkBody,
      failures: [403, 404, 429],
      response: checkResponse,
      handle: async ({ body }) => ({
        expires_at: new Date(await setUp.validateSecret(body.secret)).toISOString(),
        public_url: config.get("features.public_url"),
        click_details: config.get("analytics.enable_detailed_logging"),
        click_addresses: config.get("analytics.enable_ip_logging"),
      }),
    }),
    endpoint("POST /set-up", {
      ...shared,
      summary: "Set the administrator's first password and a few settings, and sign in; works once",
      body: setUpBody,
      failures: [403, 404, 409, 429],
      response: sessionResponse,
      async handle({ c, body }) {
        const signedIn = await setUp.complete({
          secret: body.secret,
          password: body.password,
          settings: {
            "features.public_url": body.public_url,
            "analytics.enable_detailed_logging": String(body.click_details),
            "analytics.enable_ip_logging": String(body.click_addresses),
            "features.enforce_link_passwords": String(body.link_passwords),
            ...(body.truncated_addresses && { "privacy.addresses": "truncated" }),
            ...(body.respect_signals && { "privacy.respect_signals": "true" }),
            ...(body.forgive_tails && { "links.forgive_tails": "true" }),
          },
          client: clientOf(c),
        });
        // Details of clicks are in force after it.
        if (body.click_details) await config.restart({ name: signedIn.account.username });
        return respondSignedIn(c, config, { signedIn, message: signedInMessage(c, config) });
      },
    }),
  ];
}
