/** What events say of links: all that a link holds, under the names of the API, without what is not set. */
import type { Db } from "../db/dialect.ts";
import type { Actor } from "../lib/actor.ts";
import type { EventRecord, RecordEvents } from "../lib/event.ts";
import { formatRfc3339 } from "../lib/rfc3339.ts";
import { isInternal } from "./internal-target.ts";
import { codeOf, domainOf } from "./link-key.ts";
import { NO_OPTIONS, readOptions } from "./link-options.ts";
import { type LinkContent, PASSWORD_MASK } from "./link.ts";

export type RecordLinkEvents = RecordEvents<Db>;

/** `code` is the key. */
type Described = LinkContent & { code: string };

type Doing = {
  actor: Pick<Actor, "name" | "via">;
  now: number;
  /** Without the kind. */
  verb: "create" | "update" | "delete" | "restore";
};

type Affected = { id: number | null; before: Described | null; after: Described | null };

/** @param affected has a state before or after */
export function linkEvent({ actor, now, verb }: Doing, { id, before, after }: Affected): EventRecord {
  const link = (after ?? before)!;
  return {
    at: now,
    actor,
    action: `${isInternal(link.target) ? "share" : "link"}.${verb}`,
    subject: codeOf(link.code),
    subjectId: id,
    before: before && stateOf(before),
    after: after && stateOf(after),
  };
}

function stateOf(link: Described): object {
  const { startsAt, maxClicks, fallbackUrl, redirectStatus, forwardQuery } = readOptions(link.options);
  return withoutNulls({
    code: codeOf(link.code),
    domain_id: domainOf(link.code) || null,
    target: link.target,
    expires_at: instant(link.expiresAt),
    password: link.passwordHash === null ? null : PASSWORD_MASK,
    title: link.title,
    note: link.note,
    tags: link.tags.length === 0 ? null : link.tags,
    starts_at: instant(startsAt),
    max_clicks: maxClicks,
    fallback_url: fallbackUrl,
    redirect_status: redirectStatus === NO_OPTIONS.redirectStatus ? null : redirectStatus,
    forward_query: forwardQuery === NO_OPTIONS.forwardQuery ? null : forwardQuery,
  });
}

const instant = (at: number | null): string | null => (at === null ? null : formatRfc3339(at));

const withoutNulls = (state: Record<string, unknown>): object =>
  Object.fromEntries(Object.entries(state).filter(([, value]) => value !== null));
