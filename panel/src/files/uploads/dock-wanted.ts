import { useLocation } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { UPLOADS_DATABASE } from "./upload-store.ts";

/** Whether the page needs the list of uploads: files are shown, or this browser may have interrupted uploads. */
export function useDockNeeded(): boolean {
  const showsFiles = useLocation({ select: ({ pathname }) => pathname.startsWith("/files") });
  const [isNeeded, setIsNeeded] = useState(false);
  useEffect(() => {
    if (indexedDB.databases === undefined) return setIsNeeded(true);
    indexedDB.databases().then(
      (known) => {
        if (known.some(({ name }) => name === UPLOADS_DATABASE)) setIsNeeded(true);
      },
      () => {},
    );
  }, []);
  // It stays: uploads continue while other pages are shown.
  useEffect(() => {
    if (showsFiles) setIsNeeded(true);
  }, [showsFiles]);
  return isNeeded;
}
