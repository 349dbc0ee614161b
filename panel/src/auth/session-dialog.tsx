import { useSuspenseQuery } from "@tanstack/react-query";
import { Suspense, useEffect, useRef, useState } from "react";
import { soonPart } from "../base/lazy.ts";
import { askAtSessionEnd, onTabNews } from "../base/session-end.ts";
import { useBackCloses } from "../ui/back-closes.ts";
import { accountQuery } from "./account.ts";

const SessionForm = soonPart(async () => (await import("./session-form.tsx")).SessionForm);

type Answer = (isSignedIn: boolean) => void;

/** Asks for the password over the page when a session has ended. Then the refused requests are repeated. */
export function SessionDialog() {
  const { data: account } = useSuspenseQuery(accountQuery);
  const [answer, setAnswer] = useState<{ give: Answer } | null>(null);
  const open = useRef<Answer | null>(null);
  useBackCloses(answer !== null, null);

  function settle(isSignedIn: boolean): void {
    open.current?.(isSignedIn);
    open.current = null;
    setAnswer(null);
  }

  useEffect(() => {
    const forget = askAtSessionEnd(() => {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      open.current = resolve;
      setAnswer({ give: settle });
      return promise;
    });
    return () => {
      forget();
      open.current?.(false);
    };
  }, []);
  useEffect(
    () =>
      onTabNews((news) => {
        if (news.what !== "signed-in") return;
        // The page shows another account's data.
        if (news.username !== account.username) window.location.reload();
        else settle(true);
      }),
    [account.username],
  );

  return (
    answer !== null && (
      <Suspense fallback={null}>
        <SessionForm username={account.username} onAnswer={answer.give} />
      </Suspense>
    )
  );
}
