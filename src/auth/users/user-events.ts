/** What events say of accounts. A new password is a mask in the new state. */
import type { Actor } from "../../lib/actor.ts";
import type { EventRecord } from "../../lib/event.ts";
import type { User } from "./user.ts";

const MASK = "[REDACTED]";

type UserState = Omit<User, "id">;
type Doing = {
  actor: Pick<Actor, "name" | "via">;
  now: number;
  verb: "create" | "update" | "delete";
  transferTo?: string | undefined;
};

/** At least one state is given. */
export function userEvent(
  { actor, now, verb, transferTo }: Doing,
  before: UserState | null,
  after: UserState | null,
): EventRecord {
  const isNewPassword = before !== null && after !== null && before.passwordHash !== after.passwordHash;
  return {
    at: now,
    actor,
    action: `account.${verb}`,
    subject: (after ?? before)!.username,
    before: before && { ...stateOf(before), ...(transferTo && { transfer_to: transferTo }) },
    after: after && { ...stateOf(after), ...(isNewPassword && { password: MASK }) },
  };
}

const stateOf = ({ username, role, disabled, quotaBytes, email }: UserState) => ({
  username,
  role,
  disabled,
  quota_bytes: quotaBytes,
  ...(email !== null && { email }),
});
