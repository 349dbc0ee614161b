/** Decides by the provider's claims who may sign in, and as what. Claims are as hostile as any other input. */
import type { Config } from "../../platform/config/config.service.ts";
import { ROLES, type Role } from "../../lib/access.ts";
import { asciiLower } from "../../lib/ascii-lower.ts";

export type Admitted = {
  /** The role, or null: the account keeps its role, a new one is a user. */
  role: Role | null;
  /** ASCII, in lower case; null unless the provider has verified it. */
  email: string | null;
};

/** Why somebody may not come in. `reason`: what was found, for administrators; without addresses. */
type AdmissionRefusal = { refused: "unverified" | "not_allowed" | "no_role"; reason: string };

const LONGEST_ADDRESS = 254;
/** Other letters never join an account: two that look alike, or fold to the same, are two addresses. */
const ASCII_ADDRESS = /^[!-?A-~]+@[!-?A-~]+$/;
const ADDRESS = /^[^\s@]+@[^\s@]+$/;

export function admit(claims: Claims, rules: AdmissionRules): Admitted | AdmissionRefusal {
  const verified = verifiedAddress(claims, rules);
  if (rules.domains.size > 0) {
    if (typeof verified === "object") return { refused: "unverified", reason: verified.problem };
    const domain = verified.slice(verified.indexOf("@") + 1);
    if (!rules.domains.has(domain)) {
      const reason = `The domain of the address, ${shownValue(domain)}, is not in oidc.allowed_domains.`;
      return { refused: "not_allowed", reason };
    }
  }
  if (rules.groups.size > 0) {
    const groups = valuesIn(claims, rules.groupsClaim);
    if (!groups.some((group) => rules.groups.has(group))) {
      const reason = `None of oidc.allowed_groups is there. ${describeClaim(claims, rules.groupsClaim)}`;
      return { refused: "not_allowed", reason };
    }
  }
  const email = typeof verified === "string" && ASCII_ADDRESS.test(verified) ? verified : null;
  if (rules.roleClaim === "") return { role: null, email };
  const role = highestRole(valuesIn(claims, rules.roleClaim), rules.roles);
  if (role !== null) return { role, email };
  const expected = rules.roles.size === 0 ? "No role of Waymark" : "No value of oidc.roles";
  return { refused: "no_role", reason: `${expected} is there. ${describeClaim(claims, rules.roleClaim)}` };
}

/** With A to Z in lower case. `problem`: why it does not count. */
function verifiedAddress(claims: Claims, { trustEmail }: AdmissionRules): string | { problem: string } {
  const address = asciiLower(textIn(claims, "email") ?? "");
  if (address === "") return { problem: describeClaim(claims, "email") };
  if (address.length > LONGEST_ADDRESS || !ADDRESS.test(address))
    return { problem: "The claim email is no single address." };
  // Entra ID reports instead whether the owner of the domain vouches for the address.
  for (const name of ["email_verified", "xms_edov"]) {
    const flag = flagIn(claims, name);
    if (flag === true) return address;
    if (flag === false) return { problem: `The claim ${name} is ${shownValue(claims[name])}.` };
  }
  if (trustEmail) return address;
  const problem =
    "The provider does not say whether it has verified the address: it sent neither email_verified nor xms_edov. oidc.trust_email takes such addresses.";
  return { problem };
}

/** Ways to authenticate (RFC 8176) of which each is a second factor, or reports that there was one. */
const SECOND_FACTORS: ReadonlySet<string> = new Set(["mfa", "otp", "hwk", "sms", "fido"]);
/** Classes of authentication: OpenID EAP, PAPE, REFEDS. */
const STRONG_CLASSES: ReadonlySet<string> = new Set([
  "phr",
  "phrh",
  "http://schemas.openid.net/pape/policies/2007/06/multi-factor",
  "https://refeds.org/profile/mfa",
]);

/** Whether the provider reports a second factor. */
export const hasSecondFactor = (claims: Claims): boolean =>
  textsIn(claims, "amr").some((way) => SECOND_FACTORS.has(way)) ||
  STRONG_CLASSES.has(textIn(claims, "acr") ?? "");

function highestRole(values: readonly string[], roles: AdmissionRules["roles"]): Role | null {
  const given = new Set(
    roles.size === 0 ? values : values.map((value) => roles.get(value)).filter((role) => role !== undefined),
  );
  return ROLES.findLast((role) => given.has(role)) ?? roles.get("*") ?? null;
}

/** The client that Waymark is to the provider. */
export type OidcClient = { issuer: string; clientId: string; clientSecret: string };

/** Returns null while sign-in by OpenID Connect is off. */
export function oidcClient(config: Config): OidcClient | null {
  const client = {
    issuer: config.get("oidc.issuer"),
    clientId: config.get("oidc.client_id"),
    clientSecret: config.get("oidc.client_secret"),
  };
  return client.issuer === "" || client.clientId === "" ? null : client;
}

type AdmissionRules = {
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

export const admissionRules = (config: Config): AdmissionRules => ({
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

/**
 * Claims as providers send them: lists, texts with commas, objects whose keys are the values, and flags as texts. They
 * are as hostile as any other input, so the readers below bound what they read.
 */
export type Claims = Readonly<Record<string, unknown>>;

const MOST_VALUES = 10_000;
const LONGEST_JSON = 65_536;
const MOST_SHOWN = 10;
const LONGEST_SHOWN = 100;

export const textIn = (claims: Claims, name: string): string | null =>
  typeof claims[name] === "string" ? claims[name] : null;

/** Returns null if the provider does not send the claim. */
export function flagIn(claims: Claims, name: string): boolean | null {
  const value = Object.hasOwn(claims, name) ? claims[name] : null;
  if (value === null || value === undefined) return null;
  return value === true || value === 1 || (typeof value === "string" && TRUE.has(asciiLower(value)));
}

const TRUE: ReadonlySet<string> = new Set(["true", "1"]);

/** The texts of a list; a text is a list of one. */
const textsIn = (claims: Claims, name: string): readonly string[] => textsOf(claims[name]);

/** The values of a claim for roles or groups, whatever its form. `name` may be a path such as `realm_access.roles`. */
export function valuesIn(claims: Claims, name: string): readonly string[] {
  const value = claimAt(claims, name);
  if (typeof value === "string") return [...new Set([value, ...partsOf(value)])];
  return isObject(value) ? keysOf(value) : textsOf(value);
}

/** What a refusal tells administrators of a claim: its values, or that it is not there, and which are. */
export function describeClaim(claims: Claims, name: string): string {
  const value = claimAt(claims, name);
  if (value === undefined || value === null) {
    const elsewhere = claims["_claim_names"];
    const isElsewhere = isObject(elsewhere) && Object.hasOwn(elsewhere, name);
    const why = isElsewhere ? ", because it has more values than a token holds (_claim_names)" : "";
    return `The provider sent no claim ${name}${why}. It sent: ${Object.keys(claims).slice(0, MOST_NAMES).map(shortened).join(", ")}.`;
  }
  const values = valuesIn(claims, name);
  if (values.length === 0) return `The claim ${name} has no values.`;
  const more = values.length > MOST_SHOWN ? ` and ${values.length - MOST_SHOWN} more` : "";
  return `The claim ${name} has ${values.slice(0, MOST_SHOWN).map(shownValue).join(", ")}${more}.`;
}

const MOST_NAMES = 50;
const shortened = (text: string): string => text.slice(0, LONGEST_SHOWN);
const shownValue = (value: unknown): string => JSON.stringify(value).slice(0, LONGEST_SHOWN + 2);

/** A name with dots may be that of a claim, or lead through objects, whose names may have dots too. */
function claimAt(value: unknown, name: string): unknown {
  if (!isObject(value)) return undefined;
  if (Object.hasOwn(value, name)) return value[name];
  for (let dot = name.lastIndexOf("."); dot > 0; dot = name.lastIndexOf(".", dot - 1)) {
    const first = name.slice(0, dot);
    if (Object.hasOwn(value, first)) return claimAt(value[first], name.slice(dot + 1));
  }
  return undefined;
}

function textsOf(value: unknown): string[] {
  const list: unknown[] = Array.isArray(value) ? value.slice(0, MOST_VALUES) : [value];
  return list.filter((one) => typeof one === "string");
}

/** A role that the provider turns off is none. */
const keysOf = (value: Claims): string[] =>
  Object.keys(value)
    .slice(0, MOST_VALUES)
    .filter((key) => value[key] !== false && value[key] !== null);

/** `a, b`, `[a, b]` and `["a", "b"]`. Blanks part nothing: names of groups have them. */
function partsOf(text: string): string[] {
  const isBracketed = text.startsWith("[") && text.endsWith("]");
  const listed = isBracketed && text.length <= LONGEST_JSON ? jsonIn(text) : null;
  if (Array.isArray(listed)) return textsOf(listed);
  const parts = (isBracketed ? text.slice(1, -1) : text).split(",", MOST_VALUES);
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is Claims =>
  typeof value === "object" && value !== null && !Array.isArray(value);
