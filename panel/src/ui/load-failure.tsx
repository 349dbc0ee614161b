import { Trans } from "@lingui/react/macro";
import { Alert, Button, Stack } from "@mantine/core";
import type { ComponentPropsWithoutRef, ReactNode } from "react";
import { ApiError } from "../base/api.ts";
import { useSentence } from "./failure.tsx";

type Props = {
  error: Error;
  onRetry(): void;
  /** Other ways out. */
  children?: ReactNode;
} & Pick<ComponentPropsWithoutRef<typeof Alert>, "m" | "className">;

/** In place of something that could not be loaded, or may not be seen. */
export function LoadFailure({ error, onRetry, children, ...look }: Props) {
  const sentenceOf = useSentence();
  return (
    <Alert
      color="red"
      role="alert"
      title={
        error instanceof ApiError && error.status === 403 && <Trans>Your account may not see this</Trans>
      }
      {...look}
    >
      <Stack align="start" gap="xs">
        {sentenceOf(error)}
        <Button size="xs" variant="default" onClick={onRetry}>
          <Trans>Try again</Trans>
        </Button>
        {children}
      </Stack>
    </Alert>
  );
}
