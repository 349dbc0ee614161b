import { Suspense, useEffect, useState } from "react";
import { lazyPart, rested } from "../../base/lazy.ts";

const Notifications = lazyPart(async () => (await import("./notice-list.ts")).Notifications);

/** Notices of what happens. Those from before the page has come to rest are shown then. */
export function Notices() {
  const [isDue, setDue] = useState(false);
  useEffect(() => void rested.then(() => setDue(true)), []);
  return (
    isDue && (
      <Suspense fallback={null}>
        <Notifications position="bottom-right" />
      </Suspense>
    )
  );
}
