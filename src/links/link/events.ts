/**
 * States of links in events, under the names of the API. The event of a new, deleted, restored or renamed link has the
 * whole state, which `code` marks, without unset fields. Any other event has the changed fields, with null for unset
 * ones, and the tags, which their own endpoints may change. history/history.ts combines states.
 */
import { isDeepStrictEqual } from "node:util";
import type { Db } from "../../platform/db/dialect.ts";
import type { EventRecord, RecordEvents } from "../../lib/event.ts";
import { formatRfc3339 } from "../../lib/rfc3339.ts";
import { isInternal, isReport } from "./internal-target.ts";
import { codeOf, DEFAULT_DOMAIN, domainOf } from "./key.ts";
import { differingFields, recordedFields } from "./field-values.ts";
import { type LinkContent, PASSWORD_MASK } from "./link.ts";

export type RecordLinkEvents = RecordEvents<Db>;

/** Fields of what a code serves; null: not set. */
export type ServedFields = Record<string, string | number | boolean | readonly (string | number)[] | null>;

/** `code` is the key. `serves`: more about what it serves. */
type Described = LinkContent & {
  code: string;
  /** Where it changes. */
  owner?: string | null | undefined;
  serves?: ServedFields | null | undefined;
};

/** What an administrator decides about a link. */
export const REVIEWS = ["approve", "refuse", "take_down", "reinstate"] as const;
export type ReviewVerb = (typeof REVIEWS)[number];

type Doing = {
  actor: EventRecord["actor"];
  now: number;
  /** Without the kind. */
  verb: "create" | "update" | "delete" | "restore" | ReviewVerb;
  bulk?: number | undefined;
};

type Affected = { id: number | null; before: Described | null; after: Described | null };

/** @param affected has a state before or after */
export function linkEvent({ actor, now, verb, bulk }: Doing, { id, before, after }: Affected): EventRecord {
  const link = (after ?? before)!;
  const isChange = before !== null && after !== null && before.code === after.code;
  return {
    at: now,
    actor,
    action: `${kindOf(link.target)}.${verb}`,
    subject: codeOf(link.code),
    subjectId: id,
    bulk,
    ...(isChange
      ? changedStates(before, after)
      : { before: before && wholeState(before), after: after && wholeState(after) }),
  };
}

const kindOf = (target: string): "report" | "share" | "link" =>
  isReport(target) ? "report" : isInternal(target) ? "share" : "link";

function changedStates(before: Described, after: Described): { before: object; after: object } {
  const states = { before: alwaysRecorded(before), after: alwaysRecorded(after) };
  for (const [name, was, is] of differences(before, after))
    [states.before[name], states.after[name]] = [was, is];
  return states;
}

type Difference = readonly [name: string, before: unknown, after: unknown];

function differences(before: Described, after: Described): Difference[] {
  const served = before.serves === after.serves ? [] : Object.keys({ ...before.serves, ...after.serves });
  return [
    ...differing("target", before.target, after.target),
    ...differing("expires_at", shownExpiry(before), shownExpiry(after)),
    ...(before.passwordHash === after.passwordHash
      ? []
      : [["password", shownPassword(before), shownPassword(after)] as const]),
    ...differingFields(before, after),
    ...differing("owner", before.owner, after.owner),
    ...served.flatMap((name) => differing(name, before.serves?.[name], after.serves?.[name])),
  ];
}

const differing = (name: string, was: unknown = null, is: unknown = null): Difference[] =>
  isDeepStrictEqual(was, is) ? [] : [[name, was, is]];

/** No event if nothing changed. */
export const changeEvents = (doing: Doing, affected: Affected): EventRecord[] =>
  isUnchanged(affected.before!, affected.after!) ? [] : [linkEvent(doing, affected)];

/** Whether an event would have nothing to say. */
export const isUnchanged = (before: Described, after: Described): boolean =>
  before.code === after.code &&
  before.tags.length === after.tags.length &&
  before.tags.every((tag) => after.tags.includes(tag)) &&
  differences(before, after).length === 0;

export const wholeState = (link: Described): object => ({
  code: codeOf(link.code),
  ...alwaysRecorded(link),
  ...Object.fromEntries(Object.entries(fieldsOf(link)).filter(([, value]) => value !== null)),
});

/** The event service replaces the domain by its host (events.service.ts). */
const alwaysRecorded = ({ code, tags }: Described): Record<string, unknown> => ({
  ...(domainOf(code) !== DEFAULT_DOMAIN && { domain_id: domainOf(code) }),
  ...(tags.length > 0 && { tags }),
});

const fieldsOf = (link: Described): Record<string, unknown> => ({
  target: link.target,
  expires_at: shownExpiry(link),
  password: shownPassword(link),
  ...recordedFields(link),
  ...(link.owner !== undefined && { owner: link.owner }),
  ...link.serves,
});

const shownExpiry = ({ expiresAt }: Described) => (expiresAt === null ? null : formatRfc3339(expiresAt));
const shownPassword = ({ passwordHash }: Described) => (passwordHash === null ? null : PASSWORD_MASK);
