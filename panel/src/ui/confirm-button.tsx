import { Trans } from "@lingui/react/macro";
import { Button, Group, Popover, Stack, Text } from "@mantine/core";
import { useState } from "react";

type Props = { label: string; question: string; isPending: boolean; onConfirm(): void };

/** For what can't be undone. */
export function ConfirmButton({ label, question, isPending, onConfirm }: Props) {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <Popover opened={isAsking} onChange={setIsAsking} position="bottom-end" withArrow trapFocus shadow="md">
      <Popover.Target>
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          loading={isPending}
          onClick={() => setIsAsking(!isAsking)}
        >
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown maw={280} aria-label={question}>
        <Stack gap="xs">
          <Text size="sm">{question}</Text>
          <Group justify="end" gap="xs">
            <Button size="xs" variant="default" onClick={() => setIsAsking(false)}>
              <Trans>Cancel</Trans>
            </Button>
            <Button
              size="xs"
              color="red"
              onClick={() => {
                setIsAsking(false);
                onConfirm();
              }}
            >
              {label}
            </Button>
          </Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
