/** Through whose eyes a report sees: its owner's, as they are at that moment. */
import type { Role, Teams } from "../lib/access.ts";
import type { Actor } from "../lib/actor.ts";
import { isTeam } from "../lib/owner.ts";

export const BUILT_IN_ADMIN_ID = 0;

type Account = { id: number; username: string; role: Role; teams?: Teams | undefined };

export type Eyes = ReturnType<typeof createEyes>;

export type EyesDeps = {
  /** Null when deleted or disabled. */
  findAccount(id: number): Promise<Account | null>;
};

export const createEyes = ({ findAccount }: EyesDeps) => ({
  /** Null for an owner who sees no reports: one without a row, disabled, or without links. */
  async of(ownerId: number | null): Promise<Actor | null> {
    if (ownerId === null) return null;
    const reader = { name: "report", via: "system", ownOnly: true } as const;
    if (isTeam(ownerId)) return { ...reader, accountId: null, teams: new Map([[ownerId, "viewer"]]) };
    const account = await findAccount(ownerId);
    if (account === null || account.role === "user") return null;
    const { role, teams } = account;
    return { ...reader, accountId: ownerId, role, teams, ownOnly: role !== "admin" };
  },
});
