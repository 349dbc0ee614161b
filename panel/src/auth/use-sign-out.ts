import { useMutation } from "@tanstack/react-query";
import { answerOf, api } from "../base/api.ts";
import { leaveHere, tellTabs } from "../base/session-end.ts";
import { useFailureNotice } from "../ui/notices/undo.tsx";

/** In this browser with its other tabs, or everywhere. */
export function useSignOut() {
  const onError = useFailureNotice();
  return useMutation({
    mutationFn: (where: "here" | "everywhere") =>
      answerOf(
        api.POST("/admin/v1/auth/logout", {
          params: { query: where === "everywhere" ? { sessions: "all" } : {} },
        }),
      ),
    onSuccess({ data }) {
      tellTabs({ what: "signed-out" });
      // The session at the provider ends there.
      if (data.continue_at === undefined) leaveHere();
      else window.location.assign(data.continue_at);
    },
    onError,
  });
}
