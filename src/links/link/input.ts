import { appError } from "../../lib/errors.ts";
import { checkTargetUrl } from "../../lib/target-url.ts";
import type { CodeRule } from "./code.ts";
import { parseExpiry } from "./field-kinds.ts";
import {
  type FieldContent,
  type LinkFields,
  NO_FIELDS,
  NO_OPTIONS,
  parseLinkFields,
  writeOptions,
} from "./field-values.ts";
import type { CreateInput, PatchInput, UpdateInput, UpdatePayload } from "./link.ts";
import { checkTags } from "../tags/tag.ts";
import { isBare } from "./target-hash.ts";

type LinkInput = {
  /** The code; null for a random one. */
  code: string | null;
  target: string;
  expiresAt: number | null;
  /** Plain text. */
  password: string | null;
  force: boolean;
  reuse: boolean;
  options: string | null;
} & FieldContent;

/** Undefined keeps the value, null clears it. */
type LinkPatchInput = {
  /** The new code; null if it stays. */
  code: string | null;
  keepOld: boolean;
  target: string | undefined;
} & Omit<LinkUpdateInput, "target"> &
  TagChange;

export type LinkUpdateInput = {
  target: string;
  /** Undefined keeps the value, null clears it. */
  expiresAt: number | null | undefined;
  password: string | null | undefined;
} & LinkFields;

/** Relative to the link's tags. */
export type TagChange = { addTags: readonly string[]; removeTags: readonly string[] };

export type TargetRule = Pick<CodeRule, "targetSchemes">;

const isAbsent = <T>(value: T | null | undefined): value is null | undefined =>
  value === null || value === undefined;

/** @throws LinkInvalidUrl */
export function parseTarget(text: string, { targetSchemes }: TargetRule): string {
  const target = checkTargetUrl(text, targetSchemes());
  if (typeof target === "string") return target;
  throw appError("LinkInvalidUrl", target.error);
}

/** @throws LinkInvalidCode, LinkReservedCode, LinkInvalidUrl, LinkInvalidExpireTime, InvalidDateFormat, BadRequest (tags) */
export function parseLinkInput(input: CreateInput, rule: CodeRule, now: number): LinkInput {
  const code = input.code || null;
  const refusal = code === null ? null : rule.refusal(code);
  if (refusal !== null) throw refusal;
  const { options, ...fields } = parseLinkFields(input, { now, schemes: rule.targetSchemes() });
  const link = {
    ...NO_FIELDS,
    ...fields,
    code,
    target: parseTarget(input.target, rule),
    expiresAt: parseExpiry(input.expires_at ?? "", now),
    password: input.password || null,
    force: input.force ?? false,
    reuse: input.reuse ?? false,
    options: writeOptions({ ...NO_OPTIONS, ...options }),
  };
  if (link.reuse && (code !== null || link.force || !isBare({ ...link, passwordHash: link.password }))) {
    const message = "reuse goes with target, domain and owner alone; leave out the other fields, or reuse.";
    throw appError("BadRequest", message, { field: "reuse" });
  }
  return link;
}

/** @throws LinkInvalidUrl, LinkInvalidExpireTime, InvalidDateFormat, BadRequest (tags) */
export function parseLinkUpdate(input: UpdateInput, rule: TargetRule, now: number): LinkUpdateInput {
  return {
    target: parseTarget(input.target, rule),
    expiresAt: isAbsent(input.expires_at) ? undefined : parseExpiry(input.expires_at, now),
    password: isAbsent(input.password) ? undefined : input.password || null,
    ...parseLinkFields(input, { now, schemes: rule.targetSchemes() }),
  };
}

/** @throws BadRequest */
export const parseTagChange = (input: Pick<UpdatePayload, "add_tags" | "remove_tags">): TagChange => ({
  addTags: checkTags(input.add_tags ?? []),
  removeTags: checkTags(input.remove_tags ?? []),
});
/**
 * `code`: of the link. A code that it has already need not obey the rule.
 * @throws LinkInvalidCode, LinkReservedCode, LinkInvalidUrl, LinkInvalidExpireTime, InvalidDateFormat
 */
export function parseLinkPatch(code: string, input: PatchInput, rule: CodeRule, now: number): LinkPatchInput {
  const isRenamed = input.code !== undefined && input.code !== code;
  const refusal = isRenamed ? rule.refusal(input.code!) : null;
  if (refusal !== null) throw refusal;
  return {
    code: isRenamed ? input.code! : null,
    keepOld: input.keep_old ?? false,
    target: input.target === undefined ? undefined : parseTarget(input.target, rule),
    expiresAt: input.expires_at === undefined ? undefined : parseExpiry(input.expires_at ?? "", now),
    password: input.password === undefined ? undefined : input.password || null,
    ...parseLinkFields(input, { now, schemes: rule.targetSchemes() }),
    ...parseTagChange(input),
  };
}
