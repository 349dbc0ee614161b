import { queryOptions } from "@tanstack/react-query";
import { answerOf, api } from "../../base/api.ts";

export const totpQuery = queryOptions({
  queryKey: ["totp"],
  queryFn: async ({ signal }) => (await answerOf(api.GET("/admin/v1/account/totp", { signal }))).data,
});
