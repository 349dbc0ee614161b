import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { api, responseOf } from "../base/api.ts";
import { SERVER_URL } from "../base/place.ts";
import { useFailureNotice } from "../ui/notices/undo.tsx";
import type { ShownSetting } from "./setting-queries.ts";

const SETTINGS = { queryKey: ["settings"] };
const LOOK_MS = 1_000;
/** Until workers with other paths answer. */
const MOVED_MS = 4_000;

/** Starts the workers of all servers anew. It is gone when no shown setting waits any more. */
export function RestartButton() {
  const { t } = useLingui();
  const queries = useQueryClient();
  const restart = useMutation({
    mutationFn: () => responseOf(api.POST("/admin/v1/config/restart")),
    onSuccess: followPaths,
    onError: useFailureNotice(),
  });
  const isRunning = restart.isPending || restart.isSuccess;
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(() => void queries.invalidateQueries(SETTINGS), LOOK_MS);
    return () => clearInterval(timer);
  }, [isRunning, queries]);

  /** The panel and the API may have other paths then. */
  function followPaths(): void {
    const all = queries.getQueryData<ShownSetting[]>(SETTINGS.queryKey) ?? [];
    const paths = all.filter(({ setting }) => setting.key.startsWith("routes."));
    const panel = paths.find(({ setting }) => setting.key === "routes.frontend_prefix")?.setting;
    if (panel === undefined || paths.every(({ setting }) => setting.pending_value === undefined)) return;
    const address = `${SERVER_URL}${panel.pending_value ?? panel.value}/settings`;
    setTimeout(() => window.location.assign(address), MOVED_MS);
  }

  return (
    <Button
      size="compact-sm"
      variant="default"
      loading={isRunning}
      aria-label={isRunning ? t`The server restarts` : undefined}
      onClick={() => restart.mutate()}
    >
      <Trans>Restart now</Trans>
    </Button>
  );
}
