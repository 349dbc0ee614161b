/** What an administrator says of the provider of OpenID Connect, in the panel or at the start. */
import { ROLES, type Role } from "../../lib/access.ts";

export type OidcSettings = {
  "oidc.issuer": string;
  "oidc.client_id": string;
  /** Empty: a public client. */
  "oidc.client_secret": string;
  "oidc.label": string;
  "oidc.scopes": readonly string[];
  "oidc.trust_email": boolean;
  "oidc.role_claim": string;
  "oidc.roles": readonly string[];
  "oidc.allowed_domains": readonly string[];
  "oidc.groups_claim": string;
  "oidc.allowed_groups": readonly string[];
};

export type OidcConfig = { get<K extends keyof OidcSettings>(key: K): OidcSettings[K] };

/** The client that Waymark is to the provider. */
export type OidcClient = { issuer: string; clientId: string; clientSecret: string };

/** Null while sign-in by OpenID Connect is off. */
export function oidcClient(config: OidcConfig): OidcClient | null {
  const client = {
    issuer: config.get("oidc.issuer"),
    clientId: config.get("oidc.client_id"),
    clientSecret: config.get("oidc.client_secret"),
  };
  return client.issuer === "" || client.clientId === "" ? null : client;
}

export type AdmissionRules = {
  /** An address counts as verified if the provider does not say whether it is. */
  trustEmail: boolean;
  /** Empty: the administrators of Waymark give the roles. */
  roleClaim: string;
  /** Role by value of the claim; `*` stands for every other value and for none. Empty: a value names the role. */
  roles: ReadonlyMap<string, Role>;
  /** Empty: all. */
  domains: ReadonlySet<string>;
  groupsClaim: string;
  groups: ReadonlySet<string>;
};

export const admissionRules = (config: OidcConfig): AdmissionRules => ({
  trustEmail: config.get("oidc.trust_email"),
  roleClaim: config.get("oidc.role_claim"),
  roles: rolesOf(config.get("oidc.roles")),
  domains: new Set(config.get("oidc.allowed_domains")),
  groupsClaim: config.get("oidc.groups_claim"),
  groups: new Set(config.get("oidc.allowed_groups")),
});

function rolesOf(pairs: readonly string[]): Map<string, Role> {
  const roles = new Map<string, Role>();
  for (const pair of pairs) {
    const end = pair.lastIndexOf("=");
    const role = ROLES.find((known) => known === pair.slice(end + 1));
    if (role !== undefined) roles.set(pair.slice(0, end), role);
  }
  return roles;
}
