import { Trans } from "@lingui/react/macro";
import { Loader } from "@mantine/core";
import { Suspense, useState } from "react";
import { lazyPart } from "../../base/lazy.ts";
import type { DrawnSeries } from "./series.ts";

const TrendValues = lazyPart(async () => (await import("./trend-values.tsx")).TrendValues);

/** The values of a chart, shown on request. */
export function TrendTable(props: DrawnSeries) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        <Trans>Show as table</Trans>
      </summary>
      {isOpen && (
        <Suspense fallback={<Loader size="sm" />}>
          <TrendValues {...props} />
        </Suspense>
      )}
    </details>
  );
}
