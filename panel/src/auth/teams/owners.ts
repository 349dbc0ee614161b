/** Owners of links, by the names of the API: accounts, and teams as `team:name`. */
import { useQuery } from "@tanstack/react-query";
import { accountQuery } from "../account.ts";
import { accountsQuery, teamsQuery } from "./team-queries.ts";

/** Shown at once. */
export const MOST_OWNERS = 50;

/** Whose links the account sees, or may change. One: there is nothing to choose. The first accounts only. */
export function useOwners(may: "see" | "change"): string[] {
  const { data: account } = useQuery(accountQuery);
  const isAdmin = account?.role === "admin";
  const { data: accounts = [] } = useQuery({ ...accountsQuery, enabled: isAdmin });
  const { data: teams = [] } = useQuery({
    ...teamsQuery,
    staleTime: 60_000,
    enabled: account !== undefined && account.role !== "user",
  });
  if (account === undefined) return [];
  const own = teams.filter(
    ({ members }) =>
      isAdmin ||
      may === "see" ||
      members.some(({ account: name, role }) => name === account.username && role !== "viewer"),
  );
  const others = accounts.map(({ username }) => username);
  return [...new Set([account.username, ...others, ...own.map(({ name }) => `team:${name}`)])];
}
