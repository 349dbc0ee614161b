import type { Command } from "commander";
import { type CommandContext, JSON_OPTION, type JsonOption, subcommand } from "../../platform/cli/command.ts";
import { allPages, showRows } from "../../platform/cli/listing.ts";
import { COMMAND } from "../../lib/actor.ts";
import { validated } from "../../lib/validated.ts";
import type { TeamService } from "./service.ts";
import { createTeamSchema, type Member, type Team, updateTeamSchema, viewTeam } from "./team.ts";

type Context = CommandContext<{ auth: { teams: TeamService } }>;
type Fields = { member?: string[]; quota?: string };

const MEMBER = [
  "--member <account:role>",
  "a member; repeat it. role: viewer (default), editor or manager",
] as const;
const QUOTA = ["--quota <bytes>", "most bytes of its files together; 0: unlimited"] as const;

const gather = (value: string, before: string[] = []): string[] => [...before, value];

const membersOf = ({ member = [] }: Fields) =>
  member.map((text) => {
    const [account, role = "viewer"] = text.split(":");
    return { account, role };
  });

const quotaOf = ({ quota }: Fields) =>
  quota === undefined ? {} : { quota_bytes: Number(quota || Number.NaN) };

export function addTeamCommands(program: Command, context: Context): void {
  const teams = program.command("teams");

  subcommand(teams, "list", "list the teams by name")
    .option(...JSON_OPTION)
    .action(async ({ json }: JsonOption) => {
      const { auth } = await context.services();
      const found = await allPages(async (at) => (await auth.teams.list(COMMAND, at)).teams);
      showRows(context.output, found.map(viewTeam), {
        json,
        columns: { id: "ID", name: "NAME", quota: "QUOTA", members: "MEMBERS" },
        cells: ({ quota_bytes: quota, members }) => ({ quota: quota || "", members: textOf(members) }),
        none: "There are no teams.",
      });
    });

  subcommand(teams, "add <name>", "make a team")
    .option(...MEMBER, gather)
    .option(...QUOTA)
    .option(...JSON_OPTION)
    .action(async (name: string, options: JsonOption & Fields) => {
      const given = { name, members: membersOf(options), ...quotaOf(options) };
      const input = validated(createTeamSchema, given, "The team");
      const { auth } = await context.services();
      show(context, await auth.teams.create(input, COMMAND), { ...options, done: "made" });
    });

  subcommand(teams, "change <name>", "rename a team, replace its members or change its quota")
    .option("--name <name>", "new name")
    .option(...MEMBER, gather)
    .option("--no-members", "without members")
    .option(...QUOTA)
    .option(...JSON_OPTION)
    .action(async (name: string, options: JsonOption & Fields & { name?: string; members?: boolean }) => {
      const members = options.member || options.members === false ? membersOf(options) : undefined;
      const given = { name: options.name, members, ...quotaOf(options) };
      const input = validated(updateTeamSchema, given, "The team");
      const { auth } = await context.services();
      const { id } = await auth.teams.byName(name);
      show(context, await auth.teams.update(id, input, COMMAND), { ...options, done: "changed" });
    });

  subcommand(teams, "remove <name>", "delete a team; what it owns needs another owner")
    .option("--transfer-to <owner>", "account, or team:<name>, that gets links, files and domains")
    .option(...JSON_OPTION)
    .action(async (name: string, options: JsonOption & { transferTo?: string }) => {
      const { auth } = await context.services();
      const { id } = await auth.teams.byName(name);
      show(context, await auth.teams.remove(id, options.transferTo, COMMAND), {
        ...options,
        done: "removed",
      });
    });
}

const textOf = (members: readonly Member[]): string =>
  members.map(({ account, role }) => `${account}:${role}`).join(" ");

function show({ output }: Context, team: Team, { json, done }: JsonOption & { done: string }): void {
  if (json) output.json(viewTeam(team));
  else output.note(`Team '${team.name}' ${done}.`);
}
