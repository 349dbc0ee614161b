import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, Stack } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { FailureAlert } from "../../ui/failure-alert.tsx";
import { useLateResponse } from "../../ui/notices/late-answer.ts";
import { OwnerField } from "./owner-field.tsx";

type Props = {
  title: string;
  /** The one that is deleted. */
  except: string;
  /** @param owner who gets its links; empty: nobody */
  remove(owner: string): Promise<unknown>;
  refresh(): Promise<unknown>;
  onClose(): void;
  /** What is deleted with it. */
  children?: ReactNode;
};

/** Asks before an account or team is deleted. */
export function RemoveOwner({ title, except, remove, refresh, onClose, children }: Props) {
  const { t } = useLingui();
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
        <OwnerField
          label={t`What it owns goes to`}
          description={t`An account or a team. Links and domains need one.`}
          value={owner}
          onChange={setOwner}
          except={except}
        />
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
