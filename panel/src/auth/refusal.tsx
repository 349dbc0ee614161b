import { Trans } from "@lingui/react/macro";
import { Alert } from "@mantine/core";
import { useSentence } from "../ui/failure.tsx";
import { isCookieLost } from "./sign-in.ts";

/** Why a sign-in failed. */
export function Refusal({ error }: { error: Error | null }) {
  const sentenceOf = useSentence();
  if (error === null) return null;
  return (
    <Alert color="red" variant="light" role="alert">
      {isCookieLost(error) ? (
        <Trans>
          The browser did not keep the session, because this page is not served over HTTPS. Use HTTPS, or
          switch off api.cookie_secure.
        </Trans>
      ) : (
        sentenceOf(error)
      )}
    </Alert>
  );
}
