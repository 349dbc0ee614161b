import { queryOptions, type QueryClient } from "@tanstack/react-query";
import { responseOf, api, type NewPolicy, type Policy, type PolicyUpdate } from "../../base/api.ts";

const USAGE = "policy usage";

export const policiesQuery = queryOptions({
  queryKey: ["policies"],
  queryFn: async ({ signal }) => (await responseOf(api.GET("/admin/policies", { signal }))).data,
});

const at = ({ id }: Pick<Policy, "id">) => ({ params: { path: { id } } });

/** What it holds, and what prevents its deletion. */
export const policyUsageQuery = (policy: Policy) =>
  queryOptions({
    // Separate from the list, which is requested again when the policy is gone.
    queryKey: [USAGE, policy.id],
    queryFn: async ({ signal }) =>
      (await responseOf(api.GET("/admin/policies/{id}/usage", { ...at(policy), signal }))).data,
  });

export async function savePolicy(
  policy: Policy | null,
  made: NewPolicy,
  changed: PolicyUpdate,
): Promise<Policy> {
  if (policy === null) return (await responseOf(api.POST("/admin/policies", { body: made }))).data;
  return (await responseOf(api.PATCH("/admin/policies/{id}", { ...at(policy), body: changed }))).data;
}

export const removePolicy = (policy: Policy): Promise<unknown> =>
  responseOf(api.DELETE("/admin/policies/{id}", at(policy)));

const LINKED = "linked folders";

/** Where a linked storage is shown. */
export const linkedFoldersQuery = (policy: Policy) =>
  queryOptions({
    queryKey: [LINKED, policy.id],
    queryFn: async ({ signal }) =>
      (await responseOf(api.GET("/admin/policies/{id}/folders", { ...at(policy), signal }))).data,
  });

/** @param owner an account, or team:{name} */
export const showFolder = async (policy: Policy, name: string, owner: string) =>
  (await responseOf(api.POST("/admin/policies/{id}/folders", { ...at(policy), body: { name, owner } }))).data;

/** Writes, reads and removes an object. */
export const testPolicy = async (policy: Policy) =>
  (await responseOf(api.POST("/admin/policies/{id}/test", at(policy)))).data;

const MOVES_MS = 2_000;

/** The last move of its content. Only for policies that have one. */
export const policyMoveQuery = (policy: Policy) =>
  queryOptions({
    queryKey: ["policy move", policy.id],
    queryFn: async ({ signal }) =>
      (await responseOf(api.GET("/admin/policies/{id}/move", { ...at(policy), signal }))).data,
    enabled: policy.move_state !== null,
    refetchInterval: ({ state }) => (state.data?.state === "running" ? MOVES_MS : false),
  });

export const startMove = (policy: Policy, { to, rate }: { to: number; rate: number }): Promise<unknown> =>
  responseOf(api.POST("/admin/policies/{id}/move", { ...at(policy), body: { to, rate } }));

/** What has moved stays moved. */
export const stopMove = (policy: Policy): Promise<unknown> =>
  responseOf(api.DELETE("/admin/policies/{id}/move", at(policy)));

/** Only for existing policies: a removed one has no usage to request. */
export async function refreshPolicies(queries: QueryClient): Promise<void> {
  await queries.invalidateQueries({ queryKey: policiesQuery.queryKey });
  await queries.invalidateQueries({ queryKey: [USAGE] });
  await queries.invalidateQueries({ queryKey: [LINKED] });
}
