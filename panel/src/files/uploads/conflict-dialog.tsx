import { Plural, Trans } from "@lingui/react/macro";
import { Button, Group, List, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ShareNames } from "../shared/entry-shares.tsx";
import { sharesOfQuery } from "../shared/shared-queries.ts";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { type ConflictQuestion, useConflictQuestion } from "./conflict-question.ts";

const MOST_NAMED = 5;
/** Files whose shares are named. */
const MOST_ASKED = 100;

/** Asks once for all taken names. */
export function ConflictDialog() {
  const question = useConflictQuestion();
  const giveUp = () => question?.answer(null);
  return (
    <Dialog
      title={<Plural value={question?.names.length ?? 1} one="# name is taken" other="# names are taken" />}
      isOpen={question !== null}
      onClose={giveUp}
      size="md"
    >
      {question !== null && <Choices question={question} />}
    </Dialog>
  );
}

function Choices({ question: { names, replaced, answer } }: { question: ConflictQuestion }) {
  const { data: shares = [] } = useQuery(sharesOfQuery(replaced.slice(0, MOST_ASKED), true));
  return (
    <Stack gap="sm">
      <List size="sm" style={{ overflowWrap: "anywhere" }}>
        {names.slice(0, MOST_NAMED).map((name) => (
          <List.Item key={name}>
            <bdi>{name}</bdi>
          </List.Item>
        ))}
        {names.length > MOST_NAMED && (
          <List.Item c="dimmed">
            <Plural value={names.length - MOST_NAMED} one="and # more" other="and # more" />
          </List.Item>
        )}
      </List>
      <Text size="sm" c="dimmed">
        <Trans>
          What is replaced becomes a version of the file, or goes to the trash in a folder of the server.
        </Trans>
      </Text>
      {shares.length > 0 && (
        <div role="status">
          <Text size="sm" fw={600}>
            <Trans>Visitors of these shares get the new content:</Trans>
          </Text>
          <ShareNames shares={shares} />
        </div>
      )}
      <Group justify="end" gap="xs">
        <Button variant="default" onClick={() => answer("skip")}>
          <Trans>Skip them</Trans>
        </Button>
        <Button variant="default" onClick={() => answer("replace")}>
          <Trans>Replace</Trans>
        </Button>
        <Button data-autofocus onClick={() => answer("both")}>
          <Trans>Keep both</Trans>
        </Button>
      </Group>
    </Stack>
  );
}
