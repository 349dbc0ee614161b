import { useRouter, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { giveFocusBack } from "../focus-back.ts";

/** A page that is gone takes the focus with it. Tab then starts in the new page. */
export function useFocusOfPages(): void {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const isThere = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname === path });
  // After a sign-in, the page of that.
  const { state } = useRouter();
  const shown = useRef(state.resolvedLocation?.pathname ?? path);
  useEffect(() => {
    if (!isThere || path === shown.current) return;
    shown.current = path;
    giveFocusBack();
  }, [path, isThere]);
}
