/** Sign-in by OpenID Connect. */
import { msg } from "@lingui/core/macro";

export const OIDC_WORDS = {
  "oidc.password_sign_in": {
    name: msg`Sign-in with a password`,
    description: msg`Let people sign in with a password. Off: only by single sign-on. It stays on until that is set up; the command reset-password turns it on.`,
  },
  "oidc.issuer": {
    name: msg`Issuer`,
    description: msg`Provider of OpenID Connect that people may sign in with, as its discovery document names it. Empty: none.`,
    allowed: msg`empty or an https address without query and fragment such as https://id.example.com/realms/staff; http only on localhost`,
  },
  "oidc.client_id": {
    name: msg`Client ID`,
    description: msg`What the provider calls this instance.`,
    allowed: msg`empty or 1 to 512 characters of visible ASCII`,
  },
  "oidc.client_secret": {
    name: msg`Client secret`,
    description: msg`Secret of that client. Empty: a public client.`,
    allowed: msg`empty or 1 to 512 characters of visible ASCII`,
  },
  "oidc.label": {
    name: msg`Text of the button`,
    description: msg`Text of the button on the sign-in page. Empty: Single sign-on.`,
    allowed: msg`empty or 1 to 64 characters that show something, without control characters and those that change the direction of text`,
  },
  "oidc.scopes": {
    name: msg({ message: "Scopes", context: "OpenID Connect" }),
    description: msg`Scopes to ask for. openid is always among them.`,
    allowed: msg`a list of scopes such as openid`,
  },
  "oidc.trust_email": {
    name: msg`Trust e-mail addresses`,
    description: msg`Treat an e-mail address as verified when the provider does not say whether it is. Safe only if nobody can enter another person's address at the provider: whoever signs in with an address gets the account that has confirmed it.`,
  },
  "oidc.role_claim": {
    name: msg`Claim for the role`,
    description: msg`Claim that gives the role at each sign-in, such as roles or realm_access.roles. Empty: administrators give roles, and new accounts are users.`,
    allowed: msg`empty or at most 200 characters of visible ASCII`,
  },
  "oidc.roles": {
    name: msg`Roles by value`,
    description: msg`Roles by value of that claim, such as staff=editor; the highest counts. *=user is for all others, who are refused without it. Empty: the values are admin, editor and user.`,
    allowed: msg`a list of values and roles such as staff=editor`,
  },
  "oidc.allowed_domains": {
    name: msg`Allowed e-mail domains`,
    description: msg`Domains of verified e-mail addresses that may sign in. Empty: all, verified or not.`,
    allowed: msg`a list of domain names such as example.com`,
  },
  "oidc.groups_claim": {
    name: msg`Claim for groups`,
    description: msg`Claim that lists the groups of a person.`,
    allowed: msg`empty or at most 200 characters of visible ASCII`,
  },
  "oidc.allowed_groups": {
    name: msg`Allowed groups`,
    description: msg`Groups that may sign in; one of them is enough. Empty: all.`,
    allowed: msg`a list of names of groups`,
  },
};
