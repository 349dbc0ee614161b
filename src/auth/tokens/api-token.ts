import type { RowFields } from "../../platform/db/schema.ts";
import { z } from "zod";
import { SCOPES, type Scope } from "../../lib/access.ts";
import { createView } from "../../lib/case-names.ts";
import { parseDuration } from "../../lib/duration.ts";
import { appError } from "../../lib/errors.ts";
import { LATEST_INSTANT, parseRfc3339 } from "../../lib/rfc3339.ts";
import { visibleName } from "../visible-name.ts";
import { namedObject } from "../../lib/named-object.ts";
import { randomCode } from "../../lib/random-code.ts";

/** `lastUsedAt` is rounded to the hour. */
export type ApiToken = Omit<RowFields<"tokens", { scopes: readonly Scope[] }>, "userId" | "hash"> & {
  /** 0: the built-in administrator. */
  accountId: number;
};

export type ListedToken = ApiToken & { owner: string };

const NAME_MAX_CHARACTERS = 64;

export const createTokenSchema = namedObject("NewToken", {
  name: visibleName(NAME_MAX_CHARACTERS).describe(
    `unique for the account, at most ${NAME_MAX_CHARACTERS} characters, without blank ends`,
  ),
  scopes: z
    .array(z.enum(SCOPES))
    .min(1, "must have at least one scope")
    .max(SCOPES.length)
    .describe("what the token may do; never more than its account"),
  expires_at: z
    .string()
    .nullish()
    .describe("RFC 3339, or a duration such as 90d; without it the token does not expire"),
  folder_id: z
    .int()
    .min(1)
    .nullish()
    .describe("of files it reaches only this folder and what is below it; not with the scope admin"),
});
export type CreateToken = z.output<typeof createTokenSchema>;

export const tokenView = namedObject("Token", {
  id: z.int(),
  name: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime().describe("the same as created_at: a token does not change"),
  expires_at: z.iso.datetime().nullable(),
  last_used_at: z.iso.datetime().nullable().describe("to the hour"),
  expired: z.boolean().describe("an expired token is removed after 30 days"),
  folder_id: z
    .int()
    .nullable()
    .describe("the only folder that it reaches, with what is below it; null: all files"),
  account: z.string().optional().describe("owner; only in the list of all accounts"),
});

export const createdTokenView = tokenView.extend({
  token: z
    .string()
    .regex(/^wmk_[A-Za-z0-9]{40}$/)
    .describe("shown only here; send it as bearer"),
});
createdTokenView.register(z.globalRegistry, { id: "CreatedToken" });

const viewFields = createView(tokenView);

export const viewToken = (token: ApiToken, now: number) =>
  viewFields({
    ...token,
    updatedAt: token.createdAt,
    scopes: [...token.scopes],
    expired: isExpired(token, now),
  });

export const isExpired = ({ expiresAt }: Pick<ApiToken, "expiresAt">, now: number): boolean =>
  expiresAt !== null && expiresAt <= now;

/** Epoch ms; null: never. @throws BadRequest */
export function parseTokenExpiry(text: string | null | undefined, now: number): number | null {
  const given = text?.trim();
  if (!given) return null;
  const length = parseDuration(given);
  const instant = length === null ? parseRfc3339(given) : now + length;
  if (instant !== null && instant > now && instant <= LATEST_INSTANT) return instant;
  throw appError(
    "BadRequest",
    "expires_at must be a future instant such as 2027-11-20T13:00:00Z, or a duration such as 90d.",
  );
}

/** An API token is `wmk_`, 34 random characters of A-Z a-z 0-9, and six that are their CRC-32. */
const PREFIX = "wmk_";
const RANDOM_LENGTH = 34;
const CHECKSUM_LENGTH = 6;
const FORM = /^wmk_[A-Za-z0-9]{40}$/;
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

export function newTokenText(): string {
  const text = PREFIX + randomCode(RANDOM_LENGTH);
  return text + checksumOf(text);
}

/** Whether a bearer is meant as an API token. */
export const looksLikeApiToken = (text: string): boolean => text.startsWith(PREFIX);

export const isTokenText = (text: string): boolean =>
  FORM.test(text) && checksumOf(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);

/** 64 hexadecimal digits. The text has 202 random bits, so a plain hash can't be guessed. */
export const hashOfToken = (text: string): string =>
  new Bun.CryptoHasher("sha256").update(text).digest("hex");

function checksumOf(text: string): string {
  let rest = Bun.hash.crc32(text);
  let digits = "";
  for (let at = 0; at < CHECKSUM_LENGTH; at++) {
    digits = DIGITS[rest % DIGITS.length] + digits;
    rest = Math.floor(rest / DIGITS.length);
  }
  return digits;
}
