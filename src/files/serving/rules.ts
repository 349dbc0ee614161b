/** The rules for shares: what accounts must keep when they make or change one (settings files.share_policy). */
import { z } from "zod";
import type { Actor } from "../../lib/actor.ts";
import type { Role } from "../../lib/access.ts";
import type { Clock } from "../../lib/clock.ts";
import { appError } from "../../lib/errors.ts";
import { given } from "../../lib/given.ts";
import { namedObject } from "../../lib/named-object.ts";
import type { ShareRecord } from "./served.ts";

export const shareRulesView = namedObject("SharePolicy", {
  default_days: z
    .int()
    .nullable()
    .describe("until a share ends that is made without expires_at; null: never"),
  max_days: z.int().nullable().describe("until every share ends, from now; null: no limit"),
  password: z.boolean().describe("every share has a password"),
  max_downloads: z.int().nullable().describe("largest max_downloads; null: no limit"),
  verify: z.boolean().describe("every share is for recipients who verify their address; not drop boxes"),
  recipient_domains: z.array(z.string()).describe("of recipients' addresses; empty: every domain"),
});
type Rules = z.output<typeof shareRulesView>;

export type ShareRuleSettings = {
  /** Whom the rest binds. */
  roles: readonly Role[];
  /** 0: none, like the other numbers. */
  defaultDays: number;
  maxDays: number;
  password: boolean;
  maxDownloads: number;
  verify: boolean;
  /** The domains of recipients' addresses; empty allows every one. */
  domains: readonly string[];
  /** What a role has instead, as `user.max_days=7`. */
  byRole: readonly string[];
};

export type ShareRules = ReturnType<typeof createShareRules>;

const DAY_MS = 86_400_000;
/** Between the client's reading of its clock and ours. */
const GRACE_MS = 60_000;
type Limits = Omit<ShareRuleSettings, "roles" | "byRole">;

const NONE: Limits = {
  defaultDays: 0,
  maxDays: 0,
  password: false,
  maxDownloads: 0,
  verify: false,
  domains: [],
};

function rulesOf({ defaultDays, maxDays, password, maxDownloads, verify, domains }: Limits): Rules {
  const days = [defaultDays, maxDays].filter((number) => number > 0);
  return {
    default_days: days.length === 0 ? null : Math.min(...days),
    max_days: maxDays || null,
    password,
    max_downloads: maxDownloads || null,
    verify,
    recipient_domains: [...domains],
  };
}

const FREE = rulesOf(NONE);

export function createShareRules({ settings, clock }: { settings(): ShareRuleSettings; clock: Clock }) {
  /** Commands and jobs have no role, and are free. */
  function of(role: Role | undefined): Rules {
    if (role === undefined) return FREE;
    const { roles, byRole, ...common } = settings();
    const own = ownOf(byRole, role);
    if (!roles.includes(role) && own === null) return FREE;
    return rulesOf({ ...(roles.includes(role) ? common : NONE), ...own });
  }

  return {
    of,

    /** The expiry of a new share. Null never ends, which `validate` may refuse. */
    expiry({ role }: Actor, requested: string | null | undefined): string | null | undefined {
      const days = of(role).default_days;
      return requested === undefined && days !== null ? `${days}d` : requested;
    },

    /** Call it within the transaction, with what it wrote. Returns that. @throws Forbidden */
    validate({ role }: Actor, share: ShareRecord): ShareRecord {
      const { kind, expiresAt, passwordHash, maxDownloads } = share;
      if (kind === "url") return share;
      const { max_days: days, password, max_downloads: most, verify, recipient_domains: domains } = of(role);
      if (days !== null && (expiresAt === null || expiresAt > clock.now() + days * DAY_MS + GRACE_MS)) {
        throw refused(
          "expires_at",
          `A share ends after ${days} days at the latest here; set an earlier end.`,
        );
      }
      if (password && passwordHash === null) {
        throw refused("password", "A share needs a password here; set one.");
      }
      if (kind !== "drop" && most !== null && (maxDownloads === null || maxDownloads > most)) {
        throw refused("max_downloads", `A share has at most ${most} downloads here; set max_downloads.`);
      }
      if (kind !== "drop" && verify && !share.verify) {
        throw refused(
          "verify",
          "A share is for recipients who prove their address here; list them, and set verify.",
        );
      }
      const stranger =
        domains.length === 0
          ? undefined
          : share.recipients.find((email) => !domains.includes(email.slice(email.lastIndexOf("@") + 1)));
      if (stranger !== undefined) {
        throw refused(
          "recipients",
          `Recipients have addresses of ${domains.join(", ")} here; ${stranger} has another one.`,
        );
      }
      return share;
    },
  };
}

/** The role's own limits; null without one. */
function ownOf(byRole: readonly string[], role: Role): Partial<Limits> | null {
  const own = byRole.filter((item) => item.startsWith(`${role}.`)).map((item) => item.slice(role.length + 1));
  if (own.length === 0) return null;
  const named = (name: string) =>
    own.filter((item) => item.startsWith(`${name}=`)).map((item) => item.slice(name.length + 1));
  const number = (name: string) => named(name).map(Number).at(-1);
  const flag = (name: string) =>
    named(name)
      .map((value) => value === "true")
      .at(-1);
  const domains = named("recipient_domains");
  return given({
    defaultDays: number("default_days"),
    maxDays: number("max_days"),
    password: flag("password"),
    maxDownloads: number("max_downloads"),
    verify: flag("verify"),
    domains: domains.length === 0 ? undefined : domains,
  });
}

const refused = (field: string, message: string) => appError("Forbidden", message, { field });
