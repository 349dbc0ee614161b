import { keepPreviousData, type QueryClient, queryOptions } from "@tanstack/react-query";
import { responseOf, api, type IdentityProof, type SecondFactorProof } from "../../base/api.ts";
import { accountQuery } from "../account.ts";
import { totpQuery } from "../proof/totp-query.ts";

const PAGE_SIZE = 20;

export const sessionsQuery = (page: number) =>
  queryOptions({
    queryKey: ["sessions", page],
    queryFn: ({ signal }) =>
      responseOf(
        api.GET("/admin/v1/account/sessions", {
          params: { query: { page, page_size: PAGE_SIZE } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });

export const endSession = (id: string): Promise<unknown> =>
  responseOf(api.DELETE("/admin/v1/account/sessions/{id}", { params: { path: { id } } }));

export const beginTotp = async (proof: IdentityProof) =>
  (await responseOf(api.POST("/admin/v1/account/totp", { body: proof }))).data;

/** Returns the recovery codes, like the next one. */
export const confirmTotp = async (code: string): Promise<readonly string[]> =>
  (await responseOf(api.POST("/admin/v1/account/totp/confirm", { body: { code } }))).data.recovery_codes;

export const renewCodes = async (proof: IdentityProof): Promise<readonly string[]> =>
  (await responseOf(api.POST("/admin/v1/account/totp/recovery-codes", { body: proof }))).data.recovery_codes;

export const removeTotp = ({ password = null, totp: code = null }: IdentityProof): Promise<unknown> =>
  responseOf(api.DELETE("/admin/v1/account/totp", { body: { password, code } }));

export const passkeysQuery = queryOptions({
  queryKey: ["passkeys"],
  queryFn: async ({ signal }) => (await responseOf(api.GET("/admin/v1/account/passkeys", { signal }))).data,
});

const at = (id: number) => ({ params: { path: { id } } });

export const renamePasskey = (id: number, name: string): Promise<unknown> =>
  responseOf(api.PATCH("/admin/v1/account/passkeys/{id}", { ...at(id), body: { name } }));

export const removePasskey = (id: number, proof: IdentityProof): Promise<unknown> =>
  responseOf(api.DELETE("/admin/v1/account/passkeys/{id}", { ...at(id), body: proof }));

/** Shows the second factor that the sign-in did not ask for. */
export const confirmSignIn = (body: SecondFactorProof): Promise<unknown> =>
  responseOf(api.POST("/admin/v1/account/second-factor", { body }));

/** With whether the role still lacks a second factor. */
export async function refreshSecurity(queries: QueryClient): Promise<void> {
  await Promise.all([
    queries.invalidateQueries(totpQuery),
    queries.invalidateQueries(passkeysQuery),
    queries.invalidateQueries(accountQuery),
  ]);
}
