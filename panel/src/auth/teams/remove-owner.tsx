import { Trans } from "@lingui/react/macro";
import { Button, Group, Stack } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { FailureAlert } from "../../ui/failure-alert.tsx";
import { useLateResponse } from "../../ui/notices/late-answer.ts";
import { NextOwner } from "./next-owner.tsx";

type Props = {
  title: string;
  /** @param owner who gets its links; empty: nobody */
  remove(owner: string): Promise<unknown>;
  refresh(): Promise<unknown>;
  onClose(): void;
  /** What is deleted with it. */
  children?: ReactNode;
};

/** Asks before an account or team is deleted. */
export function RemoveOwner({ title, remove, refresh, onClose, children }: Props) {
  const { close, tellIfGone } = useLateResponse(onClose);
  const [owner, setOwner] = useState("");
  const removal = useMutation({
    mutationFn: () => remove(owner.trim()),
    async onSuccess() {
      close();
      await refresh();
    },
    onError: tellIfGone,
  });
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <Stack gap="sm">
        {children}
        <NextOwner value={owner} onChange={setOwner} />
        {removal.isError && <FailureAlert error={removal.error} />}
        <Group justify="end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            <Trans>Cancel</Trans>
          </Button>
          <Button color="red" loading={removal.isPending} onClick={() => removal.mutate()}>
            <Trans>Delete for good</Trans>
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
