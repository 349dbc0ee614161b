import { useMutation } from "@tanstack/react-query";
import { responseOf, api } from "../base/api.ts";
import { leaveHere, tellTabs } from "../base/session-end.ts";
import { useFailureNotice } from "../ui/notices/undo.tsx";

/** In this browser with its other tabs, or everywhere. */
export function useSignOut() {
  const onError = useFailureNotice();
  return useMutation({
    mutationFn: (where: "here" | "everywhere") =>
      responseOf(
        api.POST("/admin/v1/auth/logout", {
          params: { query: where === "everywhere" ? { sessions: "all" } : {} },
        }),
      ),
    onSuccess({ data }) {
      tellTabs({ what: "signed-out" });
      // The session at the provider ends there.
      if (data.provider_logout_url === undefined) leaveHere();
      else window.location.assign(data.provider_logout_url);
    },
    onError,
  });
}
