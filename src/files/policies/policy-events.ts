/** What events say of storage policies. They never tell keys; a new key is a mask in the new state. */
import type { Actor } from "../../lib/actor.ts";
import type { EventRecord } from "../../lib/event.ts";
import { viewPolicy } from "./policy.ts";
import type { StoredPolicy } from "./repository.ts";

const MASK = "[REDACTED]";

type Doing = { actor: Pick<Actor, "name" | "via">; now: number; verb: "create" | "update" | "delete" };

/** At least one state is given. */
export const policyEvent = (
  { actor, now, verb }: Doing,
  before: StoredPolicy | null,
  after: StoredPolicy | null,
): EventRecord => ({
  at: now,
  actor,
  action: `policy.${verb}`,
  subject: (after ?? before)!.name,
  before: before && viewPolicy(before),
  after: after && { ...viewPolicy(after), ...newKeys(before, after) },
});

/** For a change; a new policy says `has_credentials`. */
const newKeys = (before: StoredPolicy | null, after: StoredPolicy): Record<string, string> => ({
  ...(before && before.sealedAccessKey !== after.sealedAccessKey && { access_key: MASK }),
  ...(before && before.sealedSecretKey !== after.sealedSecretKey && { secret_key: MASK }),
});
