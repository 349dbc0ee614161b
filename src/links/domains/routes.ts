import { z } from "zod";
import { actorOf, type Endpoint, endpoint, type HttpContext } from "../../platform/http/endpoint.ts";
import { idParameter } from "../../lib/id-parameter.ts";
import { createDomainSchema, domainView, updateDomainSchema, viewDomain } from "./domain.ts";
import type { DomainService } from "./service.ts";

type Deps = {
  domains: DomainService;
  /** Waits for the codes of a domain that ignores case. */
  caseSettled(domain: number): Promise<void>;
};

/** Relative to {admin}/v1. */
export function domainEndpoints({ domains, caseSettled }: Deps): Endpoint[] {
  const shared = { access: "admin", scope: "admin", tag: "domains", response: domainView } as const;
  return [
    endpoint("GET /domains", {
      ...shared,
      access: "editor",
      scope: "any",
      summary: "List the hosts besides the default one that are open to the account",
      response: z.array(domainView),
      handle: async ({ account }) => (await domains.list(actorOf(account))).map(viewDomain),
    }),
    endpoint("GET /domains/:id", {
      ...shared,
      access: "editor",
      scope: "any",
      summary: "Read a domain, with the texts of its documents",
      handle: async ({ c, account }) => viewDomain(await domains.get(idOf(c), actorOf(account))),
    }),
    endpoint("POST /domains", {
      ...shared,
      summary: "Add a domain",
      body: createDomainSchema,
      bodyLimit: BODY_LIMIT,
      failures: [409],
      status: 201,
      handle: async ({ body, account }) => viewDomain(await domains.create(body, actorOf(account))),
    }),
    endpoint("PATCH /domains/:id", {
      ...shared,
      access: "editor",
      summary:
        "Change the given fields of a domain; its links follow a new host, which administrators alone change",
      body: updateDomainSchema,
      bodyLimit: BODY_LIMIT,
      failures: [409],
      async handle({ c, body, account }) {
        const domain = await domains.update(idOf(c), body, actorOf(account));
        if (body.ignore_case) await caseSettled(domain.id);
        return viewDomain(domain);
      },
    }),
    endpoint("DELETE /domains/:id", {
      ...shared,
      summary: "Delete a domain without links",
      failures: [409],
      done: "The domain was deleted.",
      handle: ({ c, account }) => domains.remove(idOf(c), actorOf(account)),
    }),
  ];
}

/** Room for all documents, escaped. */
const BODY_LIMIT = 4 * 1024 * 1024;

const idOf = (c: HttpContext): number => idParameter(c, "NotFound", "There is no such domain.");
