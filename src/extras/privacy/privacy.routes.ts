import { z } from "zod";
import { actorOf, beside, type Endpoint, endpoint, type HttpContext } from "../../platform/http/endpoint.ts";
import { streamResponse } from "../../platform/http/stream-pages.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Language } from "../../lib/language.ts";
import { namedObject } from "../../lib/named-object.ts";
import { queryText } from "../../lib/query-text.ts";
import type { VisitorPages } from "../../visitors/look.ts";
import { pageResponse } from "../../visitors/page.ts";
import type { FoundOfPerson, Privacy } from "./privacy.service.ts";
import { pageOfStored, type StoredData, storedView } from "./stored.ts";

const person = {
  address: queryText(254)
    .optional()
    .describe("an IP address (truncated ones are the networks that are stored), or a mail address"),
  sender: queryText(100).optional().describe("the name that a visitor gave in a drop box"),
  account: queryText(64).optional().describe("name of an account, also of a deleted one"),
};
const found = namedObject("DataLocation", {
  location: z.string().describe("table and column"),
  rows: z.int(),
});
const deletion = namedObject("PrivacyDeletion", {
  ...person,
  transfer_to: queryText(100)
    .optional()
    .describe("account, or team:{name}, that gets the links of the account"),
});

const LIMITS = {
  processes_missing: z
    .int()
    .describe(
      "processes that did not count their latest clicks within ten seconds: repeat the request later",
    ),
  not_covered: z
    .string()
    .nullable()
    .describe("what else may have click details of an address, and the statement that removes them there"),
};
const responseOf = ({ found: places, missing, uncovered }: FoundOfPerson) =>
  beside(places, { processes_missing: missing, not_covered: uncovered });

type Deps = {
  privacy: Privacy;
  /** @throws Forbidden for a session that has not shown its account's second factor */
  requireFactor(c: HttpContext): Promise<void>;
  stored(language?: Language): StoredData[];
  pages: VisitorPages;
  logger: Logger;
};

/** Relative to {admin}/v1. */
export function privacyEndpoints({ privacy, requireFactor, stored, pages, logger }: Deps): Endpoint[] {
  const shared = { access: "admin", scope: "admin", tag: "privacy" } as const;
  return [
    endpoint("GET /privacy", {
      access: "public",
      scope: null,
      tag: "privacy",
      summary:
        "What is stored of visitors and accounts, how long and why, by the settings; for browsers as a page",
      response: z.array(storedView),
      handle({ c }) {
        if (!(c.req.header("accept") ?? "").includes("text/html")) return stored();
        const look = pages.look(c.req.raw);
        const page = pageOfStored(look, stored(look.language));
        return pageResponse(page, 200, c.req.raw, { Vary: "Accept, Accept-Language" });
      },
    }),
    endpoint("GET /privacy/find", {
      ...shared,
      summary: "Where something is stored of an address or account",
      query: z.object(person),
      response: z.array(found),
      beside: LIMITS,
      async handle({ query }) {
        return responseOf(await privacy.find(query));
      },
    }),
    endpoint("GET /privacy/export", {
      ...shared,
      summary: "What is stored of an address or account: a line of JSON for each row",
      query: z.object(person),
      raw: { type: "application/x-ndjson" },
      async handle({ c, query }) {
        const failure = "the export of what is stored of a person was cut";
        const body = await streamResponse(c, privacy.export(query), { logger, failure });
        return new Response(body, { headers: { "Content-Type": "application/x-ndjson" } });
      },
    }),
    endpoint("POST /privacy/delete", {
      ...shared,
      admit: requireFactor,
      summary: "Delete what identifies an address or account; the sums stay",
      body: deletion,
      failures: [409],
      response: z.array(found),
      beside: LIMITS,
      async handle({ body: { transfer_to: transferTo, ...body }, account }) {
        return responseOf(await privacy.delete(body, actorOf(account), transferTo));
      },
    }),
  ];
}
