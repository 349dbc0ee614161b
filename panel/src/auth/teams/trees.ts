/** Trees of files: the account's own, and those of its teams. Administrators are in every team. */
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { accountQuery } from "../account.ts";
import { teamsQuery } from "./team-queries.ts";
import { ownerOfTree, teamOf } from "../../ui/tree-names.ts";

/** The teams whose trees the account sees, and what it may do: everything in its own, nothing before they are known. */
export function useTrees() {
  const { data: account } = useSuspenseQuery(accountQuery);
  const { data: teams = [] } = useQuery({ ...teamsQuery, staleTime: 60_000 });
  function roleIn(team: string | undefined) {
    const found = teams.find(({ name }) => name === team);
    return team === undefined || (found && account.role === "admin")
      ? "manager"
      : found?.members.find((member) => member.account === account.username)?.role;
  }
  const mayGive = (team: string | undefined): boolean => roleIn(team) === "manager";
  return {
    teams: teams.map(({ name }) => name),
    mayChange: (team: string | undefined): boolean => mayGive(team) || roleIn(team) === "editor",
    /** To another owner. */
    mayGive,
    /** Who has the tree. */
    ownerOf: (team: string | undefined): string =>
      team === undefined ? account.username : ownerOfTree(team),
    /** Whether the account can take back what it gave. Administrators don't see the trees of other accounts. */
    mayTakeBack(owner: string): boolean {
      const team = teamOf(owner);
      return owner === account.username || (team !== undefined && mayGive(team));
    },
  };
}
