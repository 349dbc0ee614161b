import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Badge, Button, Group, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Policy } from "../../base/api.ts";
import { formatBytes, sentenceGap } from "../../base/i18n.ts";
import { useNamed } from "../../ui/forms/named.ts";
import { useFailureNotice } from "../../ui/notices/undo.tsx";
import { LinkedPlaces } from "./linked-places.tsx";
import { MovePolicy } from "./move-policy.tsx";
import { PolicyMoveState } from "./policy-move.tsx";
import { PolicyPlace } from "./policy-place.tsx";
import { PolicyProbe } from "./policy-probe.tsx";
import { refreshPolicies, savePolicy } from "./policy-queries.ts";
import { PolicyContents, RemovePolicy } from "./policy-removal.tsx";
import { newPolicyOf, policyUpdateOf, policyValuesOf } from "./policy-values.ts";
import classes from "./policies.module.css";

type Props = { policy: Policy; isNew: boolean; onEdit(): void };

export function PolicyCard({ policy, isNew, onEdit }: Props) {
  const { t } = useLingui();
  const named = useNamed();
  const queries = useQueryClient();
  const values = { ...policyValuesOf(policy), is_default: true };
  const makeDefault = useMutation({
    mutationFn: () => savePolicy(policy, newPolicyOf(values), policyUpdateOf(policy, values)),
    onSuccess: () => refreshPolicies(queries),
    onError: useFailureNotice(),
  });
  const isS3 = policy.driver_type === "s3";
  const isLinked = policy.driver_type === "linked";
  return (
    <section className={classes["card"]} aria-label={policy.name}>
      <Stack gap={6}>
        <Group gap="xs">
          <Title order={2} size="h5" className={classes["text"] ?? ""}>
            {policy.name}
          </Title>
          {policy.is_default && (
            <Badge size="sm" variant="default" flex="none">
              <Trans>Default</Trans>
            </Badge>
          )}
        </Group>
        <Text size="sm" c="dimmed" className={classes["text"] ?? ""}>
          <PolicyPlace policy={policy} />
        </Text>
        <Text size="sm" c="dimmed">
          {isLinked ? (
            policy.read_only === false ? (
              <Trans>
                Files can be changed here, scanned{" "}
                <Plural value={policy.rescan_minutes ?? 0} one="every minute" other="every # minutes" />.
              </Trans>
            ) : (
              <Trans>
                Read-only, scanned{" "}
                <Plural value={policy.rescan_minutes ?? 0} one="every minute" other="every # minutes" />.
              </Trans>
            )
          ) : policy.max_file_size === 0 ? (
            <Trans>Files of any size.</Trans>
          ) : (
            <Trans>Files of at most {formatBytes(policy.max_file_size)}.</Trans>
          )}
          {isS3 && sentenceGap()}
          {isS3 &&
            (policy.download === "redirect" ? (
              <Trans>Downloads come straight from the storage.</Trans>
            ) : (
              <Trans>Downloads go through Waymark.</Trans>
            ))}
          {isS3 && sentenceGap()}
          {isS3 &&
            (policy.has_credentials ? <Trans>Keys are set.</Trans> : <Trans>Its keys are missing.</Trans>)}
        </Text>
      </Stack>
      <Stack gap={6}>
        {isLinked ? <LinkedPlaces policy={policy} /> : <PolicyContents policy={policy} />}
        {policy.move_state !== null && <PolicyMoveState policy={policy} />}
        <PolicyProbe policy={policy} isNew={isNew}>
          <Button size="compact-sm" variant="subtle" aria-label={t`Edit ${policy.name}`} onClick={onEdit}>
            <Trans>Edit</Trans>
          </Button>
          {!policy.is_default && !isLinked && (
            <Button
              size="compact-sm"
              variant="subtle"
              aria-label={named(t`Make it the default`, policy.name)}
              loading={makeDefault.isPending}
              onClick={() => makeDefault.mutate()}
            >
              <Trans>Make it the default</Trans>
            </Button>
          )}
          <MovePolicy policy={policy} />
          <RemovePolicy policy={policy} />
        </PolicyProbe>
      </Stack>
    </section>
  );
}
