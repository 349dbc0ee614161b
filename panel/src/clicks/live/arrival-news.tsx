import { Plural } from "@lingui/react/macro";
import { VisuallyHidden } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import type { NewestClick } from "../../base/api.ts";

const EVERY_MS = 5_000;

/** Tells screen readers how many clicks have come, at most every few seconds. */
export function ArrivalNews({ arrived }: { arrived: readonly NewestClick[] }) {
  const [count, setCount] = useState(0);
  const newest = useRef<number>(undefined);
  const untold = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    const known = arrived.findIndex(({ id }) => id === newest.current);
    untold.current += known === -1 ? arrived.length : known;
    newest.current = arrived[0]?.id;
    if (untold.current === 0) return;
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      setCount(untold.current);
      untold.current = 0;
    }, EVERY_MS);
  }, [arrived]);
  return (
    <VisuallyHidden role="status">
      {count > 0 && <Plural value={count} one="# new click" other="# new clicks" />}
    </VisuallyHidden>
  );
}
