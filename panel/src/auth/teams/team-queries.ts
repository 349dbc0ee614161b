import { useLingui } from "@lingui/react/macro";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import {
  type Account,
  responseOf,
  api,
  type Team,
  type TeamMember,
  type TeamUpdateInput,
} from "../../base/api.ts";

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

export function useTeamRoles(): Record<TeamMember["role"], string> {
  const { t } = useLingui();
  return { viewer: t`Viewer`, editor: t`Editor`, manager: t`Manager` };
}

/** Whether the account may change its members. */
export const managesTeam = ({ role, username }: Pick<Account, "role" | "username">, { members }: Team) =>
  role === "admin" || members.some((member) => member.account === username && member.role === "manager");

const MOST_SHOWN = 10;

export const teamLinksQuery = (team: string) =>
  queryOptions({
    queryKey: ["links", "of team", team],
    queryFn: async ({ signal }) => {
      const query = { team, page_size: MOST_SHOWN };
      return (await responseOf(api.GET("/admin/v1/links", { params: { query }, signal }))).data;
    },
  });

/** Names, folders first. */
export const teamFilesQuery = (team: string) =>
  queryOptions({
    queryKey: ["files", "of team", team],
    queryFn: async ({ signal }) => {
      const query = { team, limit: MOST_SHOWN };
      const { data } = await responseOf(api.GET("/folders", { params: { query }, signal }));
      return [...data.folders, ...data.files].map(({ name }) => name).slice(0, MOST_SHOWN);
    },
  });

/** Accounts by a part of their names. */
export const suggestionsQuery = (search: string) =>
  queryOptions({
    queryKey: ["people", "search", search],
    queryFn: async ({ signal }) =>
      (await responseOf(api.GET("/admin/v1/people", { params: { query: { search } }, signal }))).data,
    enabled: search !== "",
    placeholderData: keepPreviousData,
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
