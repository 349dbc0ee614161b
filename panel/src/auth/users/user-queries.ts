import { keepPreviousData, type QueryClient, queryOptions } from "@tanstack/react-query";
import { type Account, type AccountUpdate, responseOf, api, type NewAccount } from "../../base/api.ts";

const ROLES = ["user", "editor", "admin"] as const;
const PAGE_SIZE = 20;

/** Filters of the list, which live in the URL. */
export type UserSearch = {
  q?: string;
  role?: Account["role"];
  state?: "active" | "disabled";
  page?: number;
};

/** Reads the address, which anybody may have typed. */
export function readUserSearch(search: Record<string, unknown>): UserSearch {
  const { page } = search;
  const q = ["string", "number"].includes(typeof search["q"]) ? String(search["q"]).slice(0, 64) : "";
  const role = ROLES.find((known) => known === search["role"]);
  const state = (["active", "disabled"] as const).find((known) => known === search["state"]);
  return {
    ...(q !== "" && { q }),
    ...(role && { role }),
    ...(state && { state }),
    ...(typeof page === "number" && Number.isSafeInteger(page) && page > 1 && { page }),
  };
}

export const usersQuery = ({ q, role, state, page = 1 }: UserSearch) =>
  queryOptions({
    queryKey: ["users", { q, role, state, page }],
    queryFn: ({ signal }) => {
      const query = {
        page,
        page_size: PAGE_SIZE,
        ...(q !== undefined && { search: q }),
        ...(role && { role }),
        ...(state && { disabled: state === "disabled" ? ("true" as const) : ("false" as const) }),
      };
      return responseOf(api.GET("/admin/v1/users", { params: { query }, signal }));
    },
    placeholderData: keepPreviousData,
  });

const at = ({ id }: Pick<Account, "id">) => ({ params: { path: { id } } });

/** What is deleted with the account, and what stays. */
export const belongingsQuery = (account: Account) =>
  queryOptions({
    // Separate from the list, which is requested again when the account is gone.
    queryKey: ["belongings", account.id],
    queryFn: async ({ signal }) =>
      (await responseOf(api.GET("/admin/v1/users/{id}/belongings", { ...at(account), signal }))).data,
    staleTime: 0,
    gcTime: 0,
  });

export async function saveAccount(account: Account | null, body: NewAccount): Promise<void> {
  if (account === null) await responseOf(api.POST("/admin/v1/users", { body }));
  else await changeAccount(account, body);
}

export const changeAccount = (account: Account, body: AccountUpdate): Promise<unknown> =>
  responseOf(api.PATCH("/admin/v1/users/{id}", { ...at(account), body }));

export const resetSecondFactor = (account: Account): Promise<unknown> =>
  responseOf(api.DELETE("/admin/v1/users/{id}/second-factor", at(account)));

/** @param owner gets its links; empty: nobody */
export const removeAccount = ({ id }: Account, owner: string): Promise<unknown> =>
  responseOf(
    api.DELETE("/admin/v1/users/{id}", {
      params: { path: { id }, query: owner === "" ? {} : { transfer_to: owner } },
    }),
  );

export const refreshUsers = (queries: QueryClient): Promise<void> =>
  queries.invalidateQueries({ queryKey: ["users"] });
