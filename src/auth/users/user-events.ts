/** What events say of accounts. A new password is a mask in the new state. */
import type { Actor } from "../../lib/actor.ts";
import type { EventRecord } from "../../lib/event.ts";
import type { User } from "./user.ts";

const MASK = "[REDACTED]";

type UserState = Omit<User, "id">;
type Doing = { actor: Pick<Actor, "name" | "via">; now: number; verb: "create" | "update" | "delete" };

/** At least one state is given. */
export function userEvent(
  { actor, now, verb }: Doing,
  before: UserState | null,
  after: UserState | null,
): EventRecord {
  const isNewPassword = before !== null && after !== null && before.passwordHash !== after.passwordHash;
  return {
    at: now,
    actor,
    action: `account.${verb}`,
    subject: (after ?? before)!.username,
    before: before && stateOf(before),
    after: after && { ...stateOf(after), ...(isNewPassword && { password: MASK }) },
  };
}

const stateOf = ({ username, role, disabled, quotaBytes }: UserState) => ({
  username,
  role,
  disabled,
  quota_bytes: quotaBytes,
});
