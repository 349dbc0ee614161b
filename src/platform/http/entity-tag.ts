/**
 * The ETag of a single resource (RFC 9110, section 8.8.3), in two parts: `"content.response"`. The first is the hash of
 * what requests change, so that no click, visit or download refuses an edit: If-Match compares it. If-None-Match
 * compares both.
 */
import { hash } from "node:crypto";
import { strongTagsIn, tagsIn } from "../../lib/conditional-request.ts";
import { appError } from "../../lib/errors.ts";
import type { HttpContext } from "./context.ts";

/**
 * Fields of responses that no edit changes: what visitors and time change, addresses, and the text of a token. Edits
 * also change `updated_at`.
 */
const UNEDITED = new Set([
  "click_count",
  "human_clicks",
  "downloads",
  "bytes",
  "files",
  "dead_since",
  "damaged",
  "last_used_at",
  "token",
  "expired",
  "short_url",
  "url",
]);
const PART_CHARACTERS = 22;

const partOf = (text: string): string => hash("sha256", text, "base64url").slice(0, PART_CHARACTERS);

const contentPart = (content: unknown): string => partOf(JSON.stringify(editedOf(content ?? null)));

/** A copy without what no edit changes. JSON.stringify with a function takes five times as long. */
function editedOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(editedOf);
  const edited: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    if (!UNEDITED.has(name)) edited[name] = editedOf((value as Record<string, unknown>)[name]);
  }
  return edited;
}

/**
 * @param text of the response
 * @param content the part of it that requests change
 */
export const entityTag = (text: string, content: unknown): string =>
  `"${contentPart(content)}.${partOf(text)}"`;

/** Whether the client has this response already. */
export function isKnown(c: HttpContext, tag: string): boolean {
  const known = c.req.header("If-None-Match")?.trim();
  return known !== undefined && (known === "*" || tagsIn(known).includes(tag));
}

/** What a request says in If-Match and If-None-Match. */
export type MatchConditions = { matching?: string | undefined; refused?: string | undefined };

/** Null without conditions. */
export function conditionsOf(c: HttpContext): MatchConditions | null {
  const [matching, refused] = [c.req.header("If-Match")?.trim(), c.req.header("If-None-Match")?.trim()];
  return matching === undefined && refused === undefined ? null : { matching, refused };
}

/** @param content as it is now; undefined: there is nothing yet  @throws PreconditionFailed */
export function requireMatch({ matching, refused }: MatchConditions, content: unknown): void {
  if (content === undefined) {
    if (matching === undefined) return;
    throw appError("PreconditionFailed", "There is nothing that If-Match could name; nothing was changed.");
  }
  const part = contentPart(content);
  const isOneOf = (tags: string[]) => tags.some((tag) => tag.slice(1).startsWith(`${part}.`));
  if (matching !== undefined && matching !== "*" && !isOneOf(strongTagsIn(matching))) {
    throw appError("PreconditionFailed", "It was changed since you read it. Read it again, then retry.");
  }
  if (refused !== undefined && (refused === "*" || isOneOf(tagsIn(refused)))) {
    throw appError("PreconditionFailed", "It exists as If-None-Match names it; nothing was changed.");
  }
}
