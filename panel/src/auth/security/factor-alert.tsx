import { Trans, useLingui } from "@lingui/react/macro";
import { Alert, Text } from "@mantine/core";
import { Confirmation } from "./factor-form.tsx";

type Props = { state: "off" | "on" | "required" | "unconfirmed" };

/** Says that the role needs a second factor, and takes that which the sign-in did not ask for. */
export function FactorAlert({ state }: Props) {
  const { t } = useLingui();
  if (state !== "required" && state !== "unconfirmed") return null;
  return (
    <Alert
      color="orange"
      title={t`Your role needs a second factor`}
      styles={{ title: { color: "var(--mantine-color-text)" } }}
    >
      {state === "unconfirmed" ? (
        <Confirmation>
          <Trans>Confirm this sign-in. The other pages open after that.</Trans>
        </Confirmation>
      ) : (
        <Text size="sm">
          <Trans>Set up a passkey or an authenticator app. The other pages open after that.</Trans>
        </Text>
      )}
    </Alert>
  );
}
