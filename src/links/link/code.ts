/**
 * The rule for new codes: 1 to 128 characters of `a-z A-Z 0-9 _ . - /`, no leading, trailing or double slash, no
 * segments `.` and `..` (browsers rewrite those), not at or below a prefix of other endpoints. Requests need only
 * `isCodeText`: older links keep redirecting.
 */
import { type AppError, appError } from "../../lib/errors.ts";
import { asciiLower } from "../../lib/ascii-lower.ts";
import { codeOf } from "./key.ts";
import type { Actor } from "../../lib/actor.ts";
import { isSitePath } from "../../lib/site-path.ts";

const CODE_MAX_LENGTH = 128;

const CODE = /^[a-zA-Z0-9_.\-/]{1,128}$/;
/** Neither empty nor `.` or `..`. */
const SEGMENT = String.raw`(?:\.?[a-zA-Z0-9_\-][a-zA-Z0-9_.\-]*|\.\.[a-zA-Z0-9_.\-]+)`;
const SEGMENTS = `${SEGMENT}(?:/${SEGMENT})*`;
const IS_SEGMENTS = new RegExp(`^${SEGMENTS}$`);

/** Paths of the file endpoints. */
const ALWAYS_RESERVED = ["files", "folders"];

/** Paths of the admin API below `links/` that never give way to a link. */
const API_PATHS = ["batch", "export"];

/** Codes in the OpenAPI document: what a link can have, and what a new link takes, where an empty one is absent. */
export const CODE_FORM = { pattern: CODE.source };
export const NEW_CODE_FORM = { pattern: `^(?:${SEGMENTS})?$`, maxLength: CODE_MAX_LENGTH };

/** Length and characters, for requests. */
export const isCodeText = (text: string): boolean => CODE.test(text);

export const isKeyText = (key: string): boolean => isCodeText(codeOf(key));

/** Repeats only a valid code. @param key or code */
export const linkNotFound = (key: unknown): AppError =>
  appError(
    "LinkNotFound",
    typeof key === "string" && isKeyText(key)
      ? `There is no link "${codeOf(key)}".`
      : "There is no link with this code.",
  );

export type CodeRule = ReturnType<typeof createCodeRule>;

/**
 * The rule for new links.
 *
 * @param prefixes route prefixes, with or without leading slash; read at each call
 * @param targetSchemes of targets besides http and https
 * @param ignoresCase a domain stores codes in lower case
 */
export function createCodeRule(
  prefixes: () => readonly string[],
  targetSchemes: () => readonly string[] = () => [],
  ignoresCase = (): boolean => false,
) {
  function reservedBy(given: string): string | undefined {
    const isFolded = ignoresCase();
    const compared = (text: string): string => (isFolded ? asciiLower(text) : text);
    const code = compared(given);
    return reservedPrefixes().find(
      (prefix) => code === compared(prefix) || code.startsWith(`${compared(prefix)}/`),
    );
  }
  function reservedPrefixes(): string[] {
    const ofRoutes = prefixes().map((prefix) => prefix.replace(/^\/+|(?<!\/)\/+$/g, ""));
    return [...ofRoutes, ...ALWAYS_RESERVED].filter((prefix) => prefix !== "");
  }
  return {
    targetSchemes,
    /** What no code may be, and at or below which none may be. */
    reserved: () => ({ codes: API_PATHS, prefixes: reservedPrefixes() }),
    /** LinkInvalidCode, LinkReservedCode or null. */
    refusal(code: string): AppError | null {
      if (code.length === 0 || code.length > CODE_MAX_LENGTH) {
        return appError("LinkInvalidCode", `A code has 1 to ${CODE_MAX_LENGTH} characters.`);
      }
      if (!CODE.test(code)) {
        return appError("LinkInvalidCode", "A code can have only letters, digits and the characters _ . - /");
      }
      if (!IS_SEGMENTS.test(code)) {
        return appError(
          "LinkInvalidCode",
          "A code must not begin or end with a slash, nor contain a double slash or the segments . and ..",
        );
      }
      if (API_PATHS.includes(ignoresCase() ? asciiLower(code) : code)) {
        return appError("LinkReservedCode", `The code "${code}" is reserved for a path of the API.`);
      }
      const reserved = reservedBy(code);
      if (reserved === undefined) return null;
      return appError(
        "LinkReservedCode",
        `The code "${reserved}" and codes that begin with "${reserved}/" are reserved.`,
      );
    },
  };
}

export const linkAlreadyExists = (code: string): AppError =>
  appError(
    "LinkAlreadyExists",
    `The code "${codeOf(code)}" is taken; choose another, or overwrite it with force.`,
  );

export const codeTaken = (code: string): AppError =>
  appError("LinkAlreadyExists", `The code "${codeOf(code)}" is taken by another link; choose another.`);

export const codeTakenByAlias = (code: string): AppError =>
  appError("LinkAlreadyExists", `The code "${codeOf(code)}" is an alias of another link; choose another.`);

export const editorsOnly = (code: string): AppError =>
  appError("Forbidden", `You may only view "${code}"; editors of its team may change it.`);

export const ownersOnly = (): AppError =>
  appError("Forbidden", "Only the owner, managers of the team and administrators give a link away.");

export const linkServesShare = (code: string): AppError =>
  appError(
    "Conflict",
    `The link "${codeOf(code)}" serves a share or a report; PATCH changes what it serves.`,
  );

export const linkServesNothing = (code: string): AppError =>
  appError(
    "Conflict",
    `What "${codeOf(code)}" served is gone. Give it a target, a file or a folder, or delete it.`,
  );

export const codeRepeated = (code: string): AppError =>
  appError(
    "LinkAlreadyExists",
    `The code "${codeOf(code)}" appears more than once in this request; the first one is used.`,
  );

/** Whether a code or key speaks for the whole site, in any case of its letters. */
export const isSiteCode = (key: string): boolean => isSitePath(codeOf(key));

/** Why an actor may not make, change or restore a link with one of these codes or keys. */
export function siteCodeRefusal(
  { ownOnly }: Pick<Actor, "ownOnly">,
  keys: readonly string[],
): AppError | null {
  const key = ownOnly ? keys.find(isSiteCode) : undefined;
  return key === undefined
    ? null
    : appError(
        "Forbidden",
        `The code "${codeOf(key)}" speaks for the whole site; only administrators have links with it.`,
        { field: "code" },
      );
}

/** Why a link with such a code may not go to an owner who is no administrator. */
export const siteCodeOwnerRefusal = (key: string): AppError =>
  appError(
    "Forbidden",
    `The code "${codeOf(key)}" speaks for the whole site; only administrators own links with it.`,
    { field: "owner" },
  );

export const createShareCodeRule = (rule: CodeRule): CodeRule => ({
  ...rule,
  refusal: (code) =>
    rule.refusal(code) ??
    (isSiteCode(code)
      ? appError(
          "LinkReservedCode",
          `A share can't have the code "${code}": it is reserved for the whole site.`,
        )
      : null),
});
