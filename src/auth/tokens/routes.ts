import type { RequestChecks } from "../auth-core.ts";
import { z } from "zod";
import { actorOf, type PathInput, type Endpoint, endpoint, page } from "../../platform/http/endpoint.ts";
import { idParameter } from "../../lib/id-parameter.ts";
import { appError } from "../../lib/errors.ts";
import { pageOf, pageQuery } from "../../lib/page-query.ts";
import { createdTokenView, createTokenSchema, tokenView, viewToken } from "./api-token.ts";
import type { ApiTokens } from "./service.ts";

const allQuery = z.object({
  all: z.enum(["true", "false", ""], "takes true or false").optional().describe("true: of all accounts"),
});

/** @throws Forbidden */
function refuseOthers({ role }: { role: string }): void {
  if (role !== "admin") throw appError("Forbidden", "Only administrators see the tokens of all accounts.");
}

type Deps = RequestChecks & { apiTokens: ApiTokens; now(): number };

export function tokenEndpoints({ apiTokens, requireFactor, now }: Deps): Endpoint[] {
  const shared = { access: "account", scope: null, tag: "tokens" } as const;
  const item = { ...shared, query: allQuery, failures: [403] } as const;
  /** The token's id, and whose it has to be. */
  const named = ({ c, query, account }: PathInput<typeof allQuery>): [number, number | null] => {
    const ofAll = query.all === "true";
    if (ofAll) refuseOthers(account);
    return [idParameter(c, "NotFound", "There is no such token."), ofAll ? null : account.id];
  };
  return [
    endpoint("GET /tokens", {
      ...shared,
      summary: "List your API tokens, newest first; administrators also list those of all accounts",
      query: allQuery.extend(pageQuery),
      failures: [403],
      response: z.array(tokenView),
      paged: true,
      async handle({ query, account }) {
        const ofAll = query.all === "true";
        if (ofAll) refuseOthers(account);
        const at = pageOf(query);
        const { tokens, total } = await apiTokens.list(ofAll ? null : account.id, at);
        const views = tokens.map((token) => ({
          ...viewToken(token, now()),
          ...(ofAll && { account: token.owner }),
        }));
        return page(views, { ...at, total });
      },
    }),
    endpoint("POST /tokens", {
      ...shared,
      tagged: true,
      summary: "Create an API token; only this response contains its text",
      admit: requireFactor,
      body: createTokenSchema,
      failures: [404, 409],
      status: 201,
      response: createdTokenView,
      async handle({ body, account }) {
        const { text, ...token } = await apiTokens.create(account.id, body, actorOf(account));
        return { ...viewToken(token, now()), token: text };
      },
    }),
    endpoint("GET /tokens/:id", {
      ...item,
      tagged: true,
      summary: "Read one of your API tokens, or as an administrator any",
      response: tokenView,
      handle: async (asking) => viewToken(await apiTokens.get(...named(asking)), now()),
    }),
    endpoint("DELETE /tokens/:id", {
      ...item,
      summary:
        "Revoke one of your API tokens, or as an administrator any; once this answers, every worker refuses it",
      done: "Token revoked",
      locked: async (asking, tx) => viewToken(await apiTokens.get(...named(asking), tx), now()),
      handle: (asking) => apiTokens.revoke(...named(asking), actorOf(asking.account)),
    }),
  ];
}
