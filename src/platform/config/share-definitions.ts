/** Settings for shares and drop boxes. */
import { mailDomain } from "./value-checks.ts";
import { bool, type CheckedValue, choices, type SettingRow, inCategory, int, list } from "./value-types.ts";
import { asciiLower } from "../../lib/ascii-lower.ts";

const DAYS = { min: 1, max: 3650, unit: "days", orZero: true } as const;

const ROLES = ["user", "editor", "admin"] as const;
const LIMITS = {
  "files.share_policy.roles": choices(["user", "editor"], ROLES, {
    description: "Roles that the other settings of files.share_policy bind. Existing shares stay.",
  }),
  "files.share_policy.default_days": int(0, DAYS, {
    description: "Days after which a share ends that is made without an end. 0: it never ends.",
  }),
  "files.share_policy.max_days": int(0, DAYS, {
    description: "Days after which every share ends at the latest. 0: no limit.",
  }),
  "files.share_policy.password": bool(false, { description: "Every share and drop box needs a password." }),
  "files.share_policy.max_downloads": int(
    0,
    { min: 1, max: 1_000_000, orZero: true },
    { description: "Most downloads that a share may have. 0: no limit." },
  ),
  "files.share_policy.verify": bool(false, {
    description:
      "Every share is for recipients who prove their address, so nobody opens one anonymously. Not for drop boxes.",
  }),
  "files.share_policy.recipient_domains": list([], mailDomain, {
    description: "Domains of recipients' addresses. Empty: every domain.",
  }),
};

const START = "files.share_policy.";
const EXAMPLE = "such as user.max_days=7";

/** What one role has instead: `user.max_days=7`. @returns the canonical item */
function forRole(item: string): CheckedValue {
  const [place = "", ...values] = item.split("=");
  const [role, name, ...more] = place.trim().split(".");
  const value = values.join("=").trim();
  const of = ROLES.find((one) => one === asciiLower(role ?? ""));
  const definition =
    name === "roles" ? undefined : (LIMITS as Record<string, SettingRow<unknown>>)[START + name];
  if (of === undefined || definition === undefined || more.length > 0) return null;
  const checked =
    name === "recipient_domains"
      ? (mailDomain.check(value) ?? { error: `must be a list ${mailDomain.items}` })
      : definition.canonical(value);
  return typeof checked === "string" ? `${of}.${name}=${checked}` : checked;
}

export const SHARE_DEFINITIONS = inCategory("files", {
  ...LIMITS,
  "files.share_policy.by_role": list(
    [],
    { items: `of limits of a role ${EXAMPLE}`, check: forRole },
    {
      description:
        "Limits that a role has instead of the other settings of files.share_policy, bound by them or not; several domains are several items.",
    },
  ),
});
