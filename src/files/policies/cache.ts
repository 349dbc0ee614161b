import { appError } from "../../lib/errors.ts";
import type { PoliciesRepository, StoredPolicy } from "./repository.ts";

export type PolicyCache = ReturnType<typeof createPolicyCache>;

/** Read on demand and again after a change. There are few. */
export function createPolicyCache({ list }: Pick<PoliciesRepository, "list">) {
  let loading: Promise<ReadonlyMap<number, StoredPolicy>> | undefined;

  async function load(): Promise<ReadonlyMap<number, StoredPolicy>> {
    return new Map((await list()).map((policy) => [policy.id, policy]));
  }

  function all(): Promise<ReadonlyMap<number, StoredPolicy>> {
    if (loading !== undefined) return loading;
    const mine = load().catch((error: unknown) => {
      if (loading === mine) loading = undefined;
      throw error;
    });
    loading = mine;
    return mine;
  }

  /** All policies, read after `known` was. */
  function allAfter(known: typeof loading): ReturnType<typeof load> {
    if (loading === known) loading = undefined;
    return all();
  }

  return {
    list: async (): Promise<StoredPolicy[]> => [...(await all()).values()],
    /** Reads again for an unknown policy: another node may have just made it. @throws PolicyNotFound */
    async find(id: number): Promise<StoredPolicy> {
      const known = loading;
      const policy = (await all()).get(id) ?? (await allAfter(known)).get(id);
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
