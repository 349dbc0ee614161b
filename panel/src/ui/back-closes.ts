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
