import { keepPreviousData, type QueryClient, queryOptions } from "@tanstack/react-query";
import { answerOf, api } from "../../base/api.ts";
import { accountQuery } from "../account.ts";

const PAGE_SIZE = 20;

export const sessionsQuery = (page: number) =>
  queryOptions({
    queryKey: ["sessions", page],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET("/admin/v1/account/sessions", {
          params: { query: { page, page_size: PAGE_SIZE } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });

export const endSession = (id: string): Promise<unknown> =>
  answerOf(api.DELETE("/admin/v1/account/sessions/{id}", { params: { path: { id } } }));

export const totpQuery = queryOptions({
  queryKey: ["totp"],
  queryFn: async ({ signal }) => (await answerOf(api.GET("/admin/v1/account/totp", { signal }))).data,
});

export const beginTotp = async (password: string) =>
  (await answerOf(api.POST("/admin/v1/account/totp", { body: { password } }))).data;

/** Returns the recovery codes, like the next one. */
export const confirmTotp = async (code: string): Promise<readonly string[]> =>
  (await answerOf(api.POST("/admin/v1/account/totp/confirm", { body: { code } }))).data.recovery_codes;

export const renewCodes = async (password: string): Promise<readonly string[]> =>
  (await answerOf(api.POST("/admin/v1/account/totp/recovery-codes", { body: { password } }))).data
    .recovery_codes;

export const removeTotp = (password: string): Promise<unknown> =>
  answerOf(api.DELETE("/admin/v1/account/totp", { body: { password } }));

/** With whether the role still lacks a second factor. */
export async function refreshSecurity(queries: QueryClient): Promise<void> {
  await Promise.all([
    queries.invalidateQueries({ queryKey: ["totp"] }),
    queries.invalidateQueries(accountQuery),
  ]);
}
