import { isTeam } from "./owner.ts";
import type { Role, Scope, Teams } from "./access.ts";

/** Who acts, and by which way: decides ownership of links and is recorded in events. */
export type Via = "panel" | "api" | "token" | "cli" | "import" | "system";

export type Actor = {
  /** An account's name, `token:{name}`, `cli` or `system`. */
  name: string;
  via: Via;
  /** The tool of the MCP server through which it acts. */
  tool?: string | undefined;
  /** 0 is the built-in administrator; null for commands and jobs. */
  accountId: number | null;
  /** The actor sees only links of its own and of its teams. */
  ownOnly: boolean;
  teams?: Teams | undefined;
  /** None for commands and jobs. */
  role?: Role;
  /** Scopes of the API token. Without one nothing limits the actor. */
  scopes?: readonly Scope[] | undefined;
  /** The folder to which the API token is bound. */
  folderId?: number | null | undefined;
};

type Reach = Pick<Actor, "accountId" | "ownOnly" | "teams">;

/** The owners of whom the actor sees something; null: all. */
export const ownersReadBy = ({ accountId, ownOnly, teams }: Reach): readonly number[] | null =>
  ownOnly ? [...(accountId === null ? [] : [accountId]), ...(teams?.keys() ?? [])] : null;

/** The owners whose links the actor may change; null: all. */
export const ownersChangedBy = ({ accountId, ownOnly, teams }: Reach): readonly number[] | null =>
  ownersReadBy({ accountId, ownOnly, teams })?.filter((id) => mayChange({ accountId, ownOnly, teams }, id)) ??
  null;

export const mayRead = ({ accountId, ownOnly, teams }: Reach, ownerId: number | null): boolean =>
  !ownOnly || (ownerId !== null && (ownerId === accountId || teams?.has(ownerId) === true));

export const mayChange = ({ accountId, ownOnly, teams }: Reach, ownerId: number | null): boolean =>
  !ownOnly || (ownerId !== null && (ownerId === accountId || (teams?.get(ownerId) ?? "viewer") !== "viewer"));

/** Whether the actor may manage things of that owner, or the members of that team. */
export const mayManage = ({ accountId, ownOnly, teams }: Reach, ownerId: number | null): boolean =>
  !ownOnly || (ownerId !== null && (ownerId === accountId || teams?.get(ownerId) === "manager"));

/** Accounts change their own files and those of teams, whatever they administer; commands those of all. */
export const mayChangeFiles = (actor: Reach, ownerId: number): boolean =>
  actor.accountId === null
    ? !actor.ownOnly
    : ownerId === actor.accountId || (isTeam(ownerId) && mayChange(actor, ownerId));

/** The actor of jobs. */
export const SYSTEM: Actor = { name: "system", via: "system", accountId: null, ownOnly: false };

export const COMMAND: Actor = { name: "cli", via: "cli", accountId: null, ownOnly: false };
