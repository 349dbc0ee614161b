import { z } from "zod";
import { actorOf, type Endpoint, endpoint } from "../platform/http/endpoint.ts";
import type { Actor } from "../lib/actor.ts";
import { appError } from "../lib/errors.ts";
import { parseIp } from "../lib/ip-address.ts";
import { parseRfc3339 } from "../lib/rfc3339.ts";
import { CODE_FORM, isCodeText, linkNotFound } from "../links/link/code.ts";
import { codeOf } from "../links/link/key.ts";
import { domainQuery, type Link, type LinkView } from "../links/link/link.ts";
import { type Explain, explanation } from "./explain.ts";

type Deps = {
  explain: Explain;
  /** @throws LinkNotFound */
  get(actor: Actor, key: string): Promise<Link>;
  /** @throws BadRequest for an unknown domain */
  keyOf(code: string, domain: string | undefined): string;
  view(link: Link, origin: string): LinkView;
  now(): number;
};

const MOST_CHARACTERS = 2_048;
const header = z.string().max(MOST_CHARACTERS).optional();

const query = domainQuery.extend({
  at: z.string().max(64).optional().describe("RFC 3339; absent: now").meta({ format: "date-time" }),
  user_agent: header.describe("the header User-Agent"),
  language: header.describe("the header Accept-Language"),
  country: z
    .string()
    .regex(/^[a-zA-Z]{2}$/, "must be a country by ISO 3166, such as DE")
    .optional()
    .describe("ISO 3166; absent: that of the address"),
  address: z
    .string()
    .refine((text) => parseIp(text) !== null, "must be an IP address")
    .optional(),
  referrer: header.describe("the header Referer, or its host"),
  query: z.string().max(8_192).optional().describe("query of the request, such as utm_source=mail&ref=1"),
});

/** Relative to {admin}/v1. Mount it before `/links/:code{.+}`. */
export const explainEndpoint = ({ explain, get, keyOf, view, now }: Deps): Endpoint =>
  endpoint("GET /links/:code{.+}/explain", {
    ownsPath: true,
    access: "editor",
    scope: "links",
    tag: "links",
    params: { code: z.string().meta(CODE_FORM) },
    summary: "Where a link would lead a visitor, and why; write a code that ends in /explain with %2F",
    query,
    response: explanation,
    async handle({ c, query: asked, account }) {
      const code = c.req.param("code") ?? "";
      if (!isCodeText(code)) throw linkNotFound(code);
      const link = await get(actorOf(account), keyOf(code, asked.domain));
      const at = asked.at === undefined ? now() : parseRfc3339(asked.at);
      if (at === null) {
        throw appError("InvalidDateFormat", "at must be an instant such as 2026-11-20T13:00:00Z.", {
          field: "at",
        });
      }
      const { id, target, options, expiresAt: expires_at, passwordHash: locked } = link;
      return explain(
        {
          id,
          target,
          options,
          expires_at,
          locked,
          code: codeOf(link.code),
          shortUrl: view(link, c.env.origin()).short_url,
        },
        {
          linkId: id,
          now: at,
          userAgent: asked.user_agent ?? null,
          acceptLanguage: asked.language ?? null,
          referrer: referrerOf(asked.referrer),
          query: queryOf(asked.query ?? ""),
          address: () => asked.address ?? "",
          ...(asked.country !== undefined && { country: asked.country.toUpperCase() }),
        },
      );
    },
  });

const referrerOf = (text: string | undefined): string | null =>
  text === undefined || text.includes("://") ? (text ?? null) : `https://${text}/`;

/** As in the path of a request. */
const queryOf = (text: string): string =>
  new URL(`http://localhost/?${text.replace(/^\?/, "").replaceAll("#", "%23")}`).search.slice(1);
