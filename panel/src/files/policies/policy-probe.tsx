import { Trans, useLingui } from "@lingui/react/macro";
import { Alert, Button, Group, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import type { Policy } from "../../base/api.ts";
import { formatNumber } from "../../base/i18n.ts";
import { useSentence } from "../../ui/failure.tsx";
import { useNamed } from "../../ui/forms/named.ts";
import classes from "./policies.module.css";
import { testPolicy } from "./policy-queries.ts";

type Props = {
  policy: Policy;
  /** Starts with a test. */
  isNew: boolean;
  /** The actions beside it. */
  children: ReactNode;
};

/** Tests a storage, and says what was done or what is wrong. */
export function PolicyProbe({ policy, isNew, children }: Props) {
  const { t } = useLingui();
  const named = useNamed();
  const sentenceOf = useSentence();
  const probe = useMutation({ mutationFn: () => testPolicy(policy) });
  const { mutate } = probe;
  useEffect(() => {
    if (isNew) mutate();
  }, [isNew, mutate]);
  return (
    <>
      <Group gap="xs" className={classes["actions"]!}>
        <Button
          size="xs"
          variant="default"
          aria-label={named(t`Test the storage`, policy.name)}
          loading={probe.isPending}
          onClick={() => mutate()}
        >
          <Trans>Test the storage</Trans>
        </Button>
        {children}
      </Group>
      {probe.isSuccess && (
        <Text size="sm" role="status">
          {policy.driver_type === "linked" ? (
            <Trans>It works: the folder can be read.</Trans>
          ) : (
            <Trans>
              It works: a small object was written, read back and removed in{" "}
              {formatNumber(probe.data.duration_ms)} ms.
            </Trans>
          )}
        </Text>
      )}
      {probe.isError && (
        <Alert color="red" variant="light" role="alert">
          {policy.driver_type === "linked" ? (
            <Trans>The folder can't be read:</Trans>
          ) : (
            <Trans>Writing, reading and removing a small object failed:</Trans>
          )}{" "}
          <span lang="en">{sentenceOf(probe.error)}</span>
        </Alert>
      )}
    </>
  );
}
