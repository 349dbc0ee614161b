import { queryOptions } from "@tanstack/react-query";
import { responseOf, api } from "../../base/api.ts";

export const totpQuery = queryOptions({
  queryKey: ["totp"],
  queryFn: async ({ signal }) => (await responseOf(api.GET("/admin/v1/account/totp", { signal }))).data,
});
