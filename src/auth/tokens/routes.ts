import { z } from "zod";
import { actorOf, type Endpoint, endpoint, page } from "../../http/endpoint.ts";
import { appError } from "../../lib/errors.ts";
import { pageOf, pageQuery } from "../../lib/page-query.ts";
import { createdTokenView, createTokenSchema, tokenView, viewToken } from "./api-token.ts";
import type { ApiTokens } from "./service.ts";

/** Each account has its own tokens. */
export function tokenEndpoints({ apiTokens, now }: { apiTokens: ApiTokens; now(): number }): Endpoint[] {
  const shared = { access: "account", scope: null, tag: "tokens" } as const;
  return [
    endpoint({
      ...shared,
      method: "GET",
      path: "/tokens",
      summary: "List your API tokens, newest first",
      query: z.object(pageQuery),
      answer: z.array(tokenView),
      paged: true,
      async handle({ query, account }) {
        const at = pageOf(query);
        const { tokens, total } = await apiTokens.list(account.id, at);
        return page(
          tokens.map((token) => viewToken(token, now())),
          { ...at, total },
        );
      },
    }),
    endpoint({
      ...shared,
      method: "POST",
      path: "/tokens",
      summary: "Create an API token; the answer alone shows its text",
      body: createTokenSchema,
      failures: [404, 409],
      status: 201,
      answer: createdTokenView,
      async handle({ body, account }) {
        const { text, ...token } = await apiTokens.create(account.id, body, actorOf(account));
        return { ...viewToken(token, now()), token: text };
      },
    }),
    endpoint({
      ...shared,
      method: "DELETE",
      path: "/tokens/:id",
      summary: "Revoke one of your API tokens; it is refused everywhere when this answers",
      answer: z.object({ message: z.string() }),
      async handle({ c, account }) {
        const text = c.req.param("id") ?? "";
        const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
        if (!Number.isSafeInteger(id)) throw appError("NotFound", "There is no such token.");
        await apiTokens.revoke(id, account.id, actorOf(account));
        return { message: "Token revoked" };
      },
    }),
  ];
}
