/** A request to a page to start something when it opens, such as a new link. */
import { useNavigate, useRouterState } from "@tanstack/react-router";
import { useEffect, useEffectEvent } from "react";

export type PageRequest =
  | "new-links"
  | "new-token"
  | "new-folder"
  | "new-account"
  | "new-domain"
  | "export"
  | "replace"
  | "hand-over"
  | "change-password"
  | "edit"
  | "qr";

declare module "@tanstack/react-router" {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- the router's types are extended so
  interface HistoryState {
    requested?: PageRequest;
    /** What was pasted, for `new-links`. */
    pasted?: string;
  }
}

/** Runs `begin` once for each request. A reload does not repeat it. */
export function usePageRequest(requested: PageRequest, begin: (pasted: string) => void): void {
  // The page before would take what is meant for the next one of its kind.
  const isRequested = useRouterState({
    select: ({ resolvedLocation }) => resolvedLocation?.state.requested === requested,
  });
  const pasted = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.state.pasted ?? "" });
  const navigate = useNavigate();
  const onRequest = useEffectEvent(() => {
    begin(pasted);
    void navigate({ to: ".", search: true, replace: true, state: {} });
  });
  useEffect(() => {
    if (isRequested) onRequest();
  }, [isRequested]);
}
