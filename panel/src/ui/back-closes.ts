import { useCanGoBack, useNavigate, useRouter } from "@tanstack/react-router";
import { useEffect, useEffectEvent } from "react";
import { putOverPage } from "../base/page-history.ts";

/** @param close null if Back leaves it open */
export function useBackCloses(isOpen: boolean, close: (() => void) | null): void {
  const closeNow = useEffectEvent(() => close?.());
  const stays = close === null;
  useEffect(() => {
    if (isOpen) return putOverPage(stays ? null : () => closeNow());
  }, [isOpen, stays]);
}

/** Leads to the page before, or to a list where the window has none. */
export function useWayBack(list: "/links" | "/shares"): () => void {
  const navigate = useNavigate();
  const router = useRouter();
  const canGoBack = useCanGoBack();
  return () => (canGoBack ? router.history.back() : void navigate({ to: list, search: {} }));
}
