/** Whom the provider's claims let in, and as what. Claims are as hostile as any other input. */
import { ROLES, type Role } from "../../lib/access.ts";
import { asciiLower } from "../../lib/ascii-lower.ts";
import { type Claims, describeClaim, flagIn, shownValue, textIn, textsIn, valuesIn } from "./claims.ts";
import type { AdmissionRules } from "./settings.ts";

export type Admitted = {
  /** Null: the account keeps its role, a new one is a user. */
  role: Role | null;
  /** ASCII, in lower case; null unless the provider has verified it. */
  email: string | null;
};

/** Why somebody may not come in. `reason`: what was found, for administrators; without addresses. */
export type AdmissionRefusal = { refused: "unverified" | "not_allowed" | "no_role"; reason: string };

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
  const wanted = rules.roles.size === 0 ? "No role of Waymark" : "No value of oidc.roles";
  return { refused: "no_role", reason: `${wanted} is there. ${describeClaim(claims, rules.roleClaim)}` };
}

/** With A to Z in lower case. `problem`: why it does not count. */
function verifiedAddress(claims: Claims, { trustEmail }: AdmissionRules): string | { problem: string } {
  const address = asciiLower(textIn(claims, "email") ?? "");
  if (address === "") return { problem: describeClaim(claims, "email") };
  if (address.length > LONGEST_ADDRESS || !ADDRESS.test(address))
    return { problem: "The claim email is no single address." };
  // Entra ID says instead whether the owner of the domain vouches for the address.
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
  textsIn(claims, "amr").some((way) => SECOND_FACTORS.has(way)) ||
  STRONG_CLASSES.has(textIn(claims, "acr") ?? "");

function highestRole(values: readonly string[], roles: AdmissionRules["roles"]): Role | null {
  const given = new Set(
    roles.size === 0 ? values : values.map((value) => roles.get(value)).filter((role) => role !== undefined),
  );
  return ROLES.findLast((role) => given.has(role)) ?? roles.get("*") ?? null;
}
