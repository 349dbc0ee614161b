import { Trans, useLingui } from "@lingui/react/macro";
import { Alert, Button, Group, Stack } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Team } from "../../base/api.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { useSentence } from "../../ui/failure.tsx";
import { useLateAnswer } from "../../ui/late-answer.ts";
import { NextOwner } from "./next-owner.tsx";
import { removeTeam } from "./team-queries.ts";

type Props = { team: Team; onClose(): void };

export function RemoveTeam({ team, onClose }: Props) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const sentenceOf = useSentence();
  const { close, tellIfGone } = useLateAnswer(onClose);
  const [owner, setOwner] = useState("");
  const remove = useMutation({
    mutationFn: () => removeTeam(team, owner.trim()),
    async onSuccess() {
      close();
      await queries.invalidateQueries({ queryKey: ["teams"] });
    },
    onError: tellIfGone,
  });
  return (
    <Dialog title={t`Delete the team ${team.name}?`} isOpen onClose={onClose}>
      <Stack gap="sm">
        <NextOwner value={owner} onChange={setOwner} />
        {remove.isError && (
          <Alert color="red" role="alert">
            {sentenceOf(remove.error)}
          </Alert>
        )}
        <Group justify="end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            <Trans>Cancel</Trans>
          </Button>
          <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
            <Trans>Delete for good</Trans>
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
