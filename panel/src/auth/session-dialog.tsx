import { useSuspenseQuery } from "@tanstack/react-query";
import { Suspense, useEffect } from "react";
import { soonPart } from "../base/lazy.ts";
import { askAtSessionEnd, onTabNews } from "../base/session-end.ts";
import { accountQuery } from "./account.ts";
import { useQuestion } from "./question.ts";

const SessionForm = soonPart(async () => (await import("./session-form.tsx")).SessionForm);

/** Asks for the password over the page when a session has ended. Then the refused requests are repeated. */
export function SessionDialog() {
  const { data: account } = useSuspenseQuery(accountQuery);
  const { isOpen, ask, settle } = useQuestion();
  useEffect(() => askAtSessionEnd(ask), [ask]);
  useEffect(
    () =>
      onTabNews((news) => {
        if (news.what !== "signed-in") return;
        // The page shows another account's data.
        if (news.username !== account.username) window.location.reload();
        else settle(true);
      }),
    [account.username, settle],
  );

  return (
    isOpen && (
      <Suspense fallback={null}>
        <SessionForm username={account.username} onAnswer={settle} />
      </Suspense>
    )
  );
}
