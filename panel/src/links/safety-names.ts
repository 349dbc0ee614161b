import { useLingui } from "@lingui/react/macro";

/** Names of the states in which a link leads nowhere, and of one whose target does not answer. */
export function useSafetyNames() {
  const { t } = useLingui();
  return {
    waiting: t`Waiting for approval`,
    refused: t`Refused`,
    taken_down: t`Taken down`,
    dead: t`Target does not answer`,
  };
}
