import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Alert, Button, Group, List, Progress, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Policy, PolicyMove } from "../../base/api.ts";
import { useDuration } from "../../ui/ages.ts";
import { formatBytes, formatNumber } from "../../base/i18n.ts";
import { useFailureNotice } from "../../ui/notices/undo.tsx";
import { policyMoveQuery, policiesQuery, refreshPolicies, startMove, stopMove } from "./policy-queries.ts";

const MOST_FAILED = 20;

/** How far the last move of a storage is, and what could not be moved. */
export function PolicyMoveState({ policy }: { policy: Policy }) {
  const queries = useQueryClient();
  const { data: move } = useQuery(policyMoveQuery(policy));
  const { data: policies } = useQuery(policiesQuery);
  const refresh = async (): Promise<void> => {
    await queries.invalidateQueries(policyMoveQuery(policy));
    await refreshPolicies(queries);
  };
  const options = { onSuccess: refresh, onError: useFailureNotice() };
  const stop = useMutation({ mutationFn: () => stopMove(policy), ...options });
  const go = useMutation({ mutationFn: (given: PolicyMove) => startMove(policy, given), ...options });
  const hasEnded = move?.state === "done" && policy.move_state === "running";
  useEffect(() => {
    if (hasEnded) void refreshPolicies(queries);
  }, [hasEnded, queries]);
  if (move === undefined) return null;
  const target = policies?.find(({ id }) => id === move.to)?.name ?? "";
  if (move.state === "done" && move.objects_failed === 0) return null;
  return (
    <Stack gap={6}>
      {move.state === "running" && <Running move={move} target={target} />}
      {move.state === "stopped" && (
        <Text size="sm">
          <Trans>
            The move to <bdi>{target}</bdi> was stopped with {formatBytes(move.bytes_left)} left.
          </Trans>
        </Text>
      )}
      {move.objects_failed > 0 && <Failed move={move} />}
      <Group gap="xs">
        {move.state === "running" ? (
          <Button size="compact-sm" variant="default" loading={stop.isPending} onClick={() => stop.mutate()}>
            <Trans>Stop the move</Trans>
          </Button>
        ) : (
          <Button size="compact-sm" variant="default" loading={go.isPending} onClick={() => go.mutate(move)}>
            {move.state === "stopped" ? <Trans>Continue the move</Trans> : <Trans>Try again</Trans>}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

function Running({ move, target }: { move: PolicyMove; target: string }) {
  const { t } = useLingui();
  const { objects_done: done, objects_left: left, bytes_left: bytes, seconds_left: seconds } = move;
  const all = done + left;
  const durationOf = useDuration();
  const minutes = Math.ceil((seconds ?? 0) / 60);
  return (
    <>
      <Text size="sm">
        {left > 0 ? (
          <Trans>
            {formatNumber(done)} of {formatNumber(all)} objects are in <bdi>{target}</bdi>,{" "}
            {formatBytes(bytes)} left.
          </Trans>
        ) : (
          <Trans>
            Everything is in <bdi>{target}</bdi>. The old objects stay a few minutes for downloads that still
            run.
          </Trans>
        )}{" "}
        {left > 0 && seconds !== null && <Trans>About {durationOf(minutes * 60)} to go.</Trans>}
      </Text>
      <Progress size="sm" value={all === 0 ? 100 : (done / all) * 100} aria-label={t`Progress of the move`} />
      {move.trouble !== null && (
        <Alert color="yellow" variant="light" role="alert">
          <Trans>The move waits and tries again:</Trans> <span lang="en">{move.trouble}</span>
        </Alert>
      )}
    </>
  );
}

const Failed = ({ move }: { move: PolicyMove }) => (
  <details>
    <summary>
      <Plural
        value={move.objects_failed}
        one="# object could not be moved and stays"
        other="# objects could not be moved and stay"
      />
    </summary>
    <List size="sm" mt={4} style={{ overflowWrap: "anywhere" }}>
      {move.failed.slice(0, MOST_FAILED).map(({ sha256, reason, files }) => (
        <List.Item key={sha256}>
          <span lang="en">
            {reason} {files.join(", ") || sha256}
          </span>
        </List.Item>
      ))}
    </List>
  </details>
);
