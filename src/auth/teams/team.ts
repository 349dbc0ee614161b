import type { RowFields } from "../../platform/db/schema.ts";
import { z } from "zod";
import { TEAM_ROLES, type TeamRole } from "../../lib/access.ts";
import { createView } from "../../lib/case-names.ts";
import { namedObject } from "../../lib/named-object.ts";
import { quotaSchema, usernameSchema } from "../users/user.ts";

const MOST_MEMBERS = 500;

/** `account`: its name. */
export type Member = { account: string; role: TeamRole };

export type Team = RowFields<"teams"> & {
  /** The members, sorted by name. */
  members: Member[];
};

const memberSchema = namedObject("TeamMember", {
  account: usernameSchema,
  role: z
    .enum(TEAM_ROLES)
    .describe("viewers see links and analytics, editors also change, managers also change members"),
});

const members = z
  .array(memberSchema)
  .max(MOST_MEMBERS)
  .refine(
    (list) => new Set(list.map(({ account }) => account)).size === list.length,
    "must name each account once",
  );

export const createTeamSchema = namedObject("NewTeam", {
  name: usernameSchema,
  members: members.default([]),
  quota_bytes: quotaSchema.optional(),
});
export type CreateTeam = z.output<typeof createTeamSchema>;

export const updateTeamSchema = namedObject("TeamUpdate", {
  name: usernameSchema.optional(),
  members: members.optional().describe("replaces the list"),
  quota_bytes: quotaSchema.optional().describe("by administrators; 0: unlimited"),
});
export type UpdateTeam = z.output<typeof updateTeamSchema>;

export const teamView = namedObject("Team", {
  id: z.int(),
  name: z.string().describe("as an owner: team:{name}"),
  members: z.array(memberSchema),
  quota_bytes: quotaSchema,
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});

export const viewTeam = createView(teamView);
