import { Trans } from "@lingui/react/macro";
import { Alert } from "@mantine/core";
import type { ReactNode } from "react";

/** Why a sign-in by OpenID Connect did not work, by what the server adds to the address (src/auth/oidc/service.ts). */
export function OidcTrouble({ trouble }: { trouble: string }) {
  return (
    <Alert color="red" variant="light" role="alert">
      {sentence(trouble)}
    </Alert>
  );
}

function sentence(trouble: string): ReactNode {
  switch (trouble) {
    case "away":
      return <Trans>The sign-in service of your organization does not answer. Try again later.</Trans>;
    case "busy":
      return <Trans>Too many sign-ins at once. Try again in a moment.</Trans>;
    case "expired":
      return <Trans>This sign-in took too long or began in another browser. Start it again.</Trans>;
    case "denied":
      return <Trans>The sign-in was cancelled.</Trans>;
    case "unverified":
      return <Trans>Your organization has not verified your e-mail address. Ask your administrator.</Trans>;
    case "not_allowed":
    case "no_role":
      return <Trans>You may not use this site. Ask your administrator for access.</Trans>;
    case "disabled":
      return <Trans>Your account is disabled. Ask your administrator.</Trans>;
    default:
      return (
        <Trans>The sign-in did not work. Your administrator finds the reason in the log of the server.</Trans>
      );
  }
}
