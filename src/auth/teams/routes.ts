import { z } from "zod";
import { actorOf, type Endpoint, endpoint, type HttpContext, page } from "../../platform/http/endpoint.ts";
import { idParameter } from "../../lib/id-parameter.ts";
import { pageOf, pageQuery } from "../../lib/page-query.ts";
import { queryText } from "../../lib/query-text.ts";
import { transferQuery } from "../users/user.ts";
import type { TeamService } from "./service.ts";
import { createTeamSchema, teamView, updateTeamSchema, viewTeam } from "./team.ts";

/** Relative to {admin}/v1. */
export function teamEndpoints({ teams }: { teams: TeamService }): Endpoint[] {
  const shared = { access: "account", tag: "teams", response: teamView } as const;
  return [
    endpoint("GET /teams", {
      ...shared,
      scope: "any",
      summary: "List teams by name: all for administrators, for others those of which they are members",
      query: z.object({ ...pageQuery, search: queryText(64).optional().describe("a part of the name") }),
      response: z.array(teamView),
      paged: true,
      async handle({ query: { search, ...paging }, account }) {
        const at = pageOf(paging);
        const { teams: listed, total } = await teams.list(actorOf(account), at, search);
        return page(listed.map(viewTeam), { ...at, total });
      },
    }),
    endpoint("POST /teams", {
      ...shared,
      access: "admin",
      scope: "admin",
      summary: "Make a team",
      body: createTeamSchema,
      failures: [409],
      status: 201,
      handle: async ({ body, account }) => viewTeam(await teams.create(body, actorOf(account))),
    }),
    endpoint("GET /teams/:id", {
      ...shared,
      scope: "any",
      summary: "One team, for its members and administrators",
      handle: async ({ c, account }) => viewTeam(await teams.get(idOf(c), actorOf(account))),
    }),
    endpoint("PATCH /teams/:id", {
      ...shared,
      scope: "admin",
      summary: "Change the given fields of a team, for its managers and administrators; members are replaced",
      body: updateTeamSchema,
      failures: [409, 429],
      handle: async ({ c, body, account }) => viewTeam(await teams.update(idOf(c), body, actorOf(account))),
    }),
    endpoint("DELETE /teams/:id", {
      ...shared,
      access: "admin",
      scope: "admin",
      summary: "Delete a team; what it owns needs another owner",
      query: transferQuery,
      failures: [409],
      done: "Team deleted",
      handle: ({ c, query, account }) => teams.remove(idOf(c), query.transfer_to, actorOf(account)),
    }),
  ];
}

const idOf = (c: HttpContext): number => idParameter(c, "NotFound", "There is no such team.");
