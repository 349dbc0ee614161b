import type { Command } from "commander";

export type FilterOptions = {
  search?: string;
  tag?: string[];
  createdAfter?: string;
  createdBefore?: string;
  onlyActive?: true;
  onlyExpired?: true;
  held?: "waiting";
  onlyDead?: true;
  domain?: string;
  owner?: string;
  team?: string;
};

export const addFilterOptions = (command: Command): Command =>
  command
    .option("--search <text>", "in the code, target, title or note, case-insensitive")
    .option("--tag <tag>", "with this tag; repeat it for links that have all of them", collected)
    .option("--created-after <instant>", "RFC 3339; this instant or later")
    .option("--created-before <instant>", "RFC 3339; this instant or earlier")
    .option("--only-active", "without an expiry or before it")
    .option("--only-expired", "that have expired")
    .option("--held <state>", "that are waiting, refused or taken_down")
    .option("--only-dead", "whose target does not answer")
    .option("--domain <host>", "default: the default domain; *: every domain")
    .option("--owner <owner>", "of this account, or of team:<name>")
    .option("--team <team>", "of this team");

/** Collects a repeated option. */
export const collected = (value: string, before: readonly string[] = []): string[] => [...before, value];

/** For filterQuery. */
export const filterInput = (options: FilterOptions) => ({
  search: options.search,
  tag: options.tag,
  created_after: options.createdAfter,
  created_before: options.createdBefore,
  only_active: options.onlyActive && "true",
  only_expired: options.onlyExpired && "true",
  held: options.held,
  only_dead: options.onlyDead && "true",
  domain: options.domain,
  owner: options.owner,
  team: options.team,
});
