import { useEffect, useRef } from "react";

/** Whether another list opened on this page before. The first list takes no focus. */
export function useIsLaterList(list: string): () => boolean {
  const first = useRef(list);
  const isLater = useRef(false);
  useEffect(() => {
    if (list !== first.current) isLater.current = true;
  }, [list]);
  return () => isLater.current || list !== first.current;
}
