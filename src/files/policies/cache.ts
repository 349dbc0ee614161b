import { appError } from "../../lib/errors.ts";
import { madeOnce } from "../../lib/made-once.ts";
import type { PoliciesRepository, StoredPolicy } from "./repository.ts";

export type PolicyCache = ReturnType<typeof createPolicyCache>;

/** Read on demand and again after a change. There are few. */
export function createPolicyCache({ list }: Pick<PoliciesRepository, "list">) {
  const read = () =>
    madeOnce(
      async (): Promise<ReadonlyMap<number, StoredPolicy>> =>
        new Map((await list()).map((policy) => [policy.id, policy])),
    );
  let loading: ReturnType<typeof read> | undefined;
  const all = () => (loading ??= read())();
  return {
    list: async (): Promise<StoredPolicy[]> => [...(await all()).values()],
    /** Reads again for an unknown policy: another node may have just made it. @throws PolicyNotFound */
    async find(id: number): Promise<StoredPolicy> {
      const known = loading;
      let policy = (await all()).get(id);
      if (policy === undefined) {
        if (loading === known) loading = undefined;
        policy = (await all()).get(id);
      }
      if (policy === undefined) throw appError("PolicyNotFound", "There is no such storage policy.");
      return policy;
    },
    async defaultPolicy(): Promise<StoredPolicy> {
      for (const policy of (await all()).values()) if (policy.isDefault) return policy;
      throw appError("StorageUnavailable", "There is no default storage policy.");
    },
    forget(): void {
      loading = undefined;
    },
  };
}
