/** Rows of definitions.ts: sign-in by OpenID Connect (auth/oidc/). The start-up settings `[oidc]` fix those of their names. */
import * as check from "./value-checks.ts";
import { bool, inCategory, list, string } from "./value-types.ts";

export const OIDC_DEFINITIONS = inCategory("oidc", {
  "oidc.password_sign_in": bool(true, {
    description:
      "Let people sign in with a password. Off: only as the settings below say. It stays on while they are empty; the command reset-password turns it on.",
  }),
  "oidc.issuer": string("", check.issuer, {
    description:
      "Provider of OpenID Connect that people may sign in with, as its discovery document names it. Empty: none.",
  }),
  "oidc.client_id": string("", check.secret(1, { orEmpty: true }), {
    description:
      "What the provider calls this instance. Register the redirect address /admin/v1/auth/oidc/callback there, with routes.admin_prefix for /admin.",
  }),
  "oidc.client_secret": string("", check.secret(1, { orEmpty: true }), {
    description: "Secret of that client. Empty: a public client.",
    sensitive: true,
  }),
  "oidc.label": string("", check.displayNameOrEmpty, {
    description: "Text of the button on the sign-in page. Empty: Single sign-on.",
  }),
  "oidc.scopes": list(["openid", "profile", "email"], check.scope, {
    description: "Scopes to ask for. openid is always among them.",
  }),
  "oidc.trust_email": bool(false, {
    description:
      "Treat an e-mail address as verified when the provider does not say whether it is. Safe only if nobody can enter another person's address at the provider: whoever signs in with an address gets the account that has confirmed it.",
  }),
  "oidc.role_claim": string("", check.claimName, {
    description:
      "Claim that gives the role at each sign-in, such as roles or realm_access.roles. Empty: administrators give roles, and new accounts are users.",
  }),
  "oidc.roles": list([], check.roleOfValue, {
    description:
      "Roles by value of that claim, such as staff=editor; the highest counts. *=user is for all others, who are refused without it. Empty: the values are admin, editor and user.",
  }),
  "oidc.allowed_domains": list([], check.mailDomain, {
    description: "Domains of verified e-mail addresses that may sign in. Empty: all, verified or not.",
  }),
  "oidc.groups_claim": string("groups", check.claimName, {
    description: "Claim that lists the groups of a person.",
  }),
  "oidc.allowed_groups": list([], check.groupName, {
    description: "Groups that may sign in; one of them is enough. Empty: all.",
  }),
});
