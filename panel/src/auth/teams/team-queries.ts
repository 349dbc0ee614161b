import { queryOptions } from "@tanstack/react-query";
import { responseOf, api, type Team, type TeamUpdateInput } from "../../base/api.ts";

const PAGE_SIZE = 100;
const MOST_PAGES = 20;

/** All for administrators, for others those of which they are members. */
export const teamsQuery = queryOptions({
  queryKey: ["teams"],
  async queryFn({ signal }) {
    const teams: Team[] = [];
    for (let page = 1; page <= MOST_PAGES; page++) {
      const query = { page, page_size: PAGE_SIZE };
      const { data } = await responseOf(api.GET("/admin/v1/teams", { params: { query }, signal }));
      teams.push(...data);
      if (data.length < PAGE_SIZE) break;
    }
    return teams;
  },
});

/** Who may own things besides teams; the first ones. */
export const accountsQuery = {
  queryKey: ["users", "owners"],
  queryFn: async ({ signal }: { signal: AbortSignal }) =>
    (await responseOf(api.GET("/admin/v1/users", { signal }))).data,
  staleTime: 60_000,
};

export async function saveTeam(
  team: Team | null,
  body: TeamUpdateInput & Pick<Team, "name" | "members">,
): Promise<Team> {
  if (team === null) return (await responseOf(api.POST("/admin/v1/teams", { body }))).data;
  const at = { params: { path: { id: team.id } } };
  return (await responseOf(api.PATCH("/admin/v1/teams/{id}", { ...at, body }))).data;
}

/** @param owner gets its links; empty: nobody */
export const removeTeam = ({ id }: Team, owner: string): Promise<unknown> =>
  responseOf(
    api.DELETE("/admin/v1/teams/{id}", {
      params: { path: { id }, query: owner === "" ? {} : { transfer_to: owner } },
    }),
  );
