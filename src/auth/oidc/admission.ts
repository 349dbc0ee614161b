/** Whom the provider's claims let in, and as what. Claims are as hostile as any other input. */
import { ROLES, type Role } from "../../lib/access.ts";
import type { AdmissionRules } from "./settings.ts";

export type Claims = Readonly<Record<string, unknown>>;

export type Admitted = {
  /** Null: the account keeps its role, a new one is a user. */
  role: Role | null;
  /** In lower case; null unless the provider has verified it. */
  email: string | null;
};

/** Why somebody may not come in. */
export type AdmissionRefusal = "unverified" | "not_allowed" | "no_role";

const MOST_VALUES = 10_000;
const LONGEST_ADDRESS = 254;

export function admit(claims: Claims, rules: AdmissionRules): Admitted | { refused: AdmissionRefusal } {
  const address = textIn(claims, "email")?.toLowerCase() ?? "";
  const isVerified = claims["email_verified"] === true && /^[^\s@]+@[^\s@]+$/.test(address);
  const email = isVerified && address.length <= LONGEST_ADDRESS ? address : null;
  if (rules.domains.size > 0) {
    if (email === null) return { refused: "unverified" };
    if (!rules.domains.has(email.slice(email.indexOf("@") + 1))) return { refused: "not_allowed" };
  }
  if (rules.groups.size > 0) {
    const groups = valuesOf(claims, rules.groupsClaim);
    if (!groups.some((group) => rules.groups.has(group))) return { refused: "not_allowed" };
  }
  if (rules.roleClaim === "") return { role: null, email };
  const role = highestRole(valuesOf(claims, rules.roleClaim), rules.roles);
  return role === null ? { refused: "no_role" } : { role, email };
}

/** Ways to authenticate (RFC 8176) of which each is a second factor, or says that there was one. */
const SECOND_FACTORS: ReadonlySet<string> = new Set(["mfa", "otp", "hwk", "sms", "fido"]);
/** Classes of authentication: OpenID EAP, PAPE, REFEDS. */
const STRONG_CLASSES: ReadonlySet<string> = new Set([
  "phr",
  "phrh",
  "http://schemas.openid.net/pape/policies/2007/06/multi-factor",
  "https://refeds.org/profile/mfa",
]);

/** Whether the provider says that it has asked for a second factor. */
export const hasSecondFactor = (claims: Claims): boolean =>
  valuesOf(claims, "amr").some((way) => SECOND_FACTORS.has(way)) ||
  STRONG_CLASSES.has(textIn(claims, "acr") ?? "");

function highestRole(values: readonly string[], roles: AdmissionRules["roles"]): Role | null {
  const given = new Set(
    roles.size === 0 ? values : values.map((value) => roles.get(value)).filter((role) => role !== undefined),
  );
  return ROLES.findLast((role) => given.has(role)) ?? roles.get("*") ?? null;
}

/** The texts of a claim, which is one or a list. A name with dots may also be a path, such as `realm_access.roles`. */
function valuesOf(claims: Claims, name: string): readonly string[] {
  const value = Object.hasOwn(claims, name)
    ? claims[name]
    : name.split(".").reduce<unknown>(memberOf, claims);
  const list = Array.isArray(value) ? value.slice(0, MOST_VALUES) : [value];
  return list.filter((one) => typeof one === "string");
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;

export const textIn = (claims: Claims, name: string): string | null =>
  typeof claims[name] === "string" ? claims[name] : null;
