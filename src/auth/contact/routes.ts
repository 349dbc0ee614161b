import type { RequestChecks } from "../auth-core.ts";
import { type Endpoint, endpoint, type HttpContext, messageResponse } from "../../platform/http/endpoint.ts";
import { requireJson, SHORT_LIMIT } from "../../platform/http/read-body.ts";
import {
  addressBody,
  type Contact,
  contactUpdate,
  contactView,
  newPasswordBody,
  passwordSetView,
  proofBody,
  resetRequest,
} from "./contact.ts";
import type { Contacts } from "./service.ts";

type Deps = RequestChecks & { contacts: Contacts };

/** Relative to {admin}/v1. */
export const contactEndpoints = (deps: Deps): Endpoint[] => [...ownEndpoints(deps), ...linkEndpoints(deps)];

function ownEndpoints({ contacts, addressLimit, addressOf }: Deps): Endpoint[] {
  const own = { access: "account", scope: null, tag: "auth", response: contactView } as const;
  const view = ({ email, emailVerified, language, choices }: Contact) => ({
    email,
    email_verified: emailVerified,
    language,
    mails: choices,
    available: contacts.isOffered(),
  });
  return [
    endpoint("GET /account/mail", {
      ...own,
      summary: "Where you get mails, and which",
      handle: async ({ account }) => view(await contacts.get(account.id)),
    }),
    endpoint("PATCH /account/mail", {
      ...own,
      summary: "Choose the language of your mails and which you get",
      body: contactUpdate,
      handle: async ({ account, body }) => view(await contacts.change(account.id, body)),
    }),
    endpoint("PUT /account/email", {
      ...own,
      summary: "Send a link to your new address, which counts once you have followed it; null removes yours",
      body: addressBody,
      bodyLimit: SHORT_LIMIT,
      admit: (c) => addressLimit.take(addressOf(c)),
      failures: [409, 429],
      response: messageResponse,
      async handle({ c, account, body }) {
        await contacts.setAddress(account, body, addressOf(c));
        return { message: body.email === null ? "Address removed" : "A link was sent to the address" };
      },
    }),
  ];
}

/** Endpoints for people who are not signed in. */
function linkEndpoints({ contacts, addressLimit, addressOf, refuseForeign }: Deps): Endpoint[] {
  const open = {
    access: "public",
    scope: null,
    tag: "auth",
    bodyLimit: SHORT_LIMIT,
    response: messageResponse,
    async admit(c: HttpContext) {
      refuseForeign(c);
      requireJson(c.req.raw);
      await addressLimit.take(addressOf(c));
    },
  } as const;
  return [
    endpoint("POST /auth/password-reset", {
      ...open,
      summary: "Mail a link for a new password, if there is such an account with a verified address",
      body: resetRequest,
      failures: [403, 409, 429],
      done: "If there is such an account with a verified address, a link is on its way",
      handle: ({ body }) => contacts.requestPassword(body.account),
    }),
    endpoint("PUT /auth/password-reset", {
      ...open,
      summary: "Set the password by the link of a mail; ends the sessions of the account",
      body: newPasswordBody,
      failures: [403, 404, 409, 429],
      response: passwordSetView,
      async handle({ body: { token, password, display_name: displayName } }) {
        const username = await contacts.setPassword(token, password, displayName);
        return { message: `The password of ${username} is set`, username };
      },
    }),
    endpoint("POST /auth/confirm-address", {
      ...open,
      summary: "Confirm an address by the link of a mail",
      body: proofBody,
      failures: [403, 404, 409, 429],
      async handle({ body }) {
        return { message: `${await contacts.confirmAddress(body.token)} is confirmed` };
      },
    }),
  ];
}
