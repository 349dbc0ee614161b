import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Share } from "../base/api.ts";
import { Dialog } from "../ui/dialogs/dialog.tsx";
import { useFailureNotice } from "../ui/notices/undo.tsx";
import { endShare, isOfOthers, refreshShares, takeShareDown } from "./share-queries.ts";

type Props = {
  share: Share | null;
  account: number;
  onClose(): void;
  /** Leaves what shows the share, before it is asked for again. */
  onEnded?(): Promise<void>;
};

/** Asks first, because an ended share can't be restored: its code is free at once. One of others is taken down. */
export function EndShare({ share, account, onClose, onEnded }: Props) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const onError = useFailureNotice();
  const isOthers = share !== null && isOfOthers(share, account);
  const ending = useMutation({
    mutationFn: (ended: Share) => (isOfOthers(ended, account) ? takeShareDown(ended) : endShare(ended)),
    async onSuccess() {
      await onEnded?.();
      await refreshShares(queries);
    },
    onError,
    onSettled: onClose,
  });
  const isDrop = share?.kind === "drop";
  return (
    <Dialog
      title={isOthers ? t`Take it down?` : isDrop ? t`Close the drop box?` : t`End the share?`}
      isOpen={share !== null}
      onClose={onClose}
      size="sm"
    >
      {share !== null && (
        <Stack gap="md">
          <Text size="sm" style={{ overflowWrap: "anywhere" }}>
            {isOthers ? (
              <Trans>
                Visitors of {share.code} find nothing any more, and its owner can't change that. The page of
                the link can put it back.
              </Trans>
            ) : (
              <Ended share={share} />
            )}
          </Text>
          <Group justify="end" gap="xs">
            <Button variant="default" onClick={onClose} data-autofocus>
              <Trans>Cancel</Trans>
            </Button>
            <Button color="red.8" loading={ending.isPending} onClick={() => ending.mutate(share)}>
              {isOthers ? (
                <Trans>Take down</Trans>
              ) : isDrop ? (
                <Trans>Close the drop box</Trans>
              ) : (
                <Trans>End the share</Trans>
              )}
            </Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  );
}

function Ended({ share }: { share: Share }) {
  return (
    <>
      {share.kind === "drop" ? (
        <Trans>Nobody can send files to {share.code} any more. What came in stays.</Trans>
      ) : (
        <Trans>Visitors of {share.code} find nothing any more. What was shared stays.</Trans>
      )}{" "}
      <Trans>This can't be undone.</Trans>
    </>
  );
}
