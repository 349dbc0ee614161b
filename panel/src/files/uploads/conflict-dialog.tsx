import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Button, CloseButton, Group, List, Modal, Stack, Text } from "@mantine/core";
import { type ConflictQuestion, useConflictQuestion } from "./conflict-question.ts";

const MOST_NAMED = 5;

/** Asks once for all names that are taken. */
export function ConflictDialog() {
  const { t } = useLingui();
  const question = useConflictQuestion();
  const giveUp = () => question?.answer(null);
  return (
    <Modal.Root opened={question !== null} onClose={giveUp} size="md">
      <Modal.Overlay />
      <Modal.Content>
        {/* The page has its banner already. */}
        <Modal.Header role="presentation">
          <Modal.Title fw={600}>
            <Plural value={question?.names.length ?? 1} one="# name is taken" other="# names are taken" />
          </Modal.Title>
          <CloseButton aria-label={t`Close`} onClick={giveUp} />
        </Modal.Header>
        <Modal.Body>{question !== null && <Choices question={question} />}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

function Choices({ question: { names, answer } }: { question: ConflictQuestion }) {
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
        <Trans>What is replaced goes to the trash, once the new file is complete.</Trans>
      </Text>
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
