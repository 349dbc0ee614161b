import { Alert } from "@mantine/core";
import { useSentence } from "./failure.tsx";

/** Why a part of a page or form is not there, or was not done. */
export function FailureAlert({ error }: { error: unknown }) {
  const sentenceOf = useSentence();
  return (
    <Alert color="red" role="alert">
      {sentenceOf(error)}
    </Alert>
  );
}
