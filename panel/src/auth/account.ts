import { queryOptions } from "@tanstack/react-query";
import { responseOf, api, ApiError, hasSession } from "../base/api.ts";

/** The account of the session. */
export const accountQuery = queryOptions({
  queryKey: ["account"],
  async queryFn({ signal }) {
    if (!hasSession()) throw new ApiError(401, { error: "Unauthorized" });
    return (await responseOf(api.GET("/admin/v1/auth/me", { signal }))).data;
  },
  staleTime: 60_000,
});

/** Null: the username again. */
export const saveOwnName = (name: string | null): Promise<unknown> =>
  responseOf(api.PATCH("/admin/v1/auth/me", { body: { display_name: name } }));
