import { queryOptions } from "@tanstack/react-query";
import {
  type AccountMail,
  responseOf,
  api,
  type MailPreferences,
  type IdentityProof,
} from "../../base/api.ts";

export const contactQuery = queryOptions({
  queryKey: ["account-mail"],
  queryFn: async ({ signal }) => (await responseOf(api.GET("/admin/v1/account/mail", { signal }))).data,
});

export const saveContact = async (body: {
  language?: AccountMail["language"];
  mails?: Partial<MailPreferences>;
}): Promise<AccountMail> => (await responseOf(api.PATCH("/admin/v1/account/mail", { body }))).data;

export const setAddress = (body: IdentityProof & { email: string | null }): Promise<unknown> =>
  responseOf(api.PUT("/admin/v1/account/email", { body }));
