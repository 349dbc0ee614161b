/** The change that restores what an event changed. */
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { AppError, appError } from "../../lib/errors.ts";
import { linkServesShare } from "../link/code.ts";
import { isInternal } from "../link/internal-target.ts";
import type { LeadingUrls } from "../fallback/loops.ts";
import { patchOfState } from "../history/state.ts";
import { wholeState } from "../link/events.ts";
import type { Rule } from "../rules/rule.ts";
import type { ExistingLink } from "../write/repository.ts";
import type { CheckedUpdate } from "../write/writer.ts";

/** `before` and `after` are JSON of link/events.ts. */
export type ChangeEvent = { subject: string; before: string | null; after: string | null };

const shape = z.looseObject({
  tags: z.array(z.string()).default([]),
  code: z.string().optional(),
  domain: z.string().nullish(),
});
type State = z.output<typeof shape>;
const read = (json: string | null) => shape.parse(JSON.parse(json ?? "{}"));

/** @throws BadRequest for a host that is no domain any more */
type KeyOf = (code: string, host: string | null | undefined) => string;

/** In events of a change, but not part of it. */
const TOLD = ["code", "domain", "domain_id", "tags"];

/**
 * The change that restores the former state, its owner by name; null if nothing differs. Passwords stay, because events don't have them.
 */
export function wayBack(
  link: ExistingLink & { owner?: string | null | undefined },
  event: ChangeEvent,
  keyOf: KeyOf,
): (CheckedUpdate & { owner?: string | null }) | AppError | null {
  if (link.isInternal) return linkServesShare(link.code);
  const [was, is] = [read(event.before), read(event.after)];
  const now: Record<string, unknown> = { ...wholeState(link) };
  const move = moveOf(was, is, keyOf);
  if (move instanceof AppError) return move;
  if (move !== null && link.code !== move.to) return changedSince(event.subject);
  const changed = Object.keys({ ...was, ...is }).filter(
    // The states of a moved link are whole.
    (name) => !TOLD.includes(name) && (move === null || !isDeepStrictEqual(was[name], is[name])),
  );
  const fields = changed.filter((name) => name !== "password");
  const added = is.tags.filter((tag) => !was.tags.includes(tag));
  const removed = was.tags.filter((tag) => !is.tags.includes(tag));
  const isKept =
    fields.every((name) => isDeepStrictEqual(now[name] ?? null, is[name] ?? null)) &&
    added.every((tag) => link.tags.includes(tag)) &&
    !removed.some((tag) => link.tags.includes(tag));
  if (!isKept) return changedSince(event.subject);
  if (move === null && fields.length + added.length + removed.length === 0) {
    return changed.length === 0 ? null : passwordStays(event.subject);
  }
  const before = Object.fromEntries(fields.map((name) => [name, was[name] ?? null]));
  const tags = [...link.tags.filter((tag) => !added.includes(tag)), ...removed].sort();
  const patch = patchOfState({ ...now, ...before, tags });
  return patch === null || isInternal(patch.target)
    ? changedSince(event.subject)
    : {
        code: link.code,
        ...patch,
        ...(move && { to: move.from }),
        ...(fields.includes("owner") && { owner: z.string().nullable().parse(before["owner"]) }),
      };
}

/** Null for a link that stayed under its key. */
function moveOf(was: State, is: State, keyOf: KeyOf): { from: string; to: string } | AppError | null {
  if (was.code === undefined || is.code === undefined) return null;
  try {
    const [from, to] = [keyOf(was.code, was.domain), keyOf(is.code, is.domain)];
    return from === to ? null : { from, to };
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** The key that a link had, if a change moved it. */
export function keyBefore({ before, after }: ChangeEvent, keyOf: KeyOf): string | null {
  const move = moveOf(read(before), read(after), keyOf);
  return move === null || move instanceof AppError ? null : move.from;
}

/** Whether the change gave the link to another owner. */
export const isGift = ({ before, after }: ChangeEvent): boolean =>
  "owner" in read(before) && read(before)["owner"] !== read(after)["owner"];

/** Null if the change did not affect URLs. */
export function urlsBefore({ before }: ChangeEvent): LeadingUrls | null {
  const { target, fallback_url: fallback, rules } = read(before);
  const urls = {
    ...(typeof target === "string" && { target }),
    ...(typeof fallback === "string" && { fallbackUrl: fallback }),
    ...(Array.isArray(rules) && { rules: rules as Rule[] }),
  };
  return Object.keys(urls).length === 0 ? null : urls;
}

const changedSince = (code: string): AppError =>
  appError("Conflict", `"${code}" has been changed since and stays as it is.`);

const passwordStays = (code: string): AppError =>
  appError("Conflict", `The password of "${code}" stays, because the earlier one is not stored.`);
