import { useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { ADMIN_PREFIX, SERVER_URL, SIGN_IN } from "../base/place.ts";

type Props = {
  /** Address of the panel that follows the sign-in. */
  to: string;
  /** In a new tab, which tells this one. */
  isElsewhere?: boolean;
};

/** Leads to the provider of OpenID Connect, if there is one. */
export function OidcButton({ to, isElsewhere = false }: Props) {
  const { t } = useLingui();
  if (SIGN_IN.oidc === null) return null;
  return (
    <Button
      component="a"
      href={`${SERVER_URL}${ADMIN_PREFIX}/v1/auth/oidc?${new URLSearchParams({ to }).toString()}`}
      {...(isElsewhere && { target: "_blank" })}
      variant={SIGN_IN.password ? "default" : "filled"}
      fullWidth
    >
      {SIGN_IN.oidc === "" ? t`Single sign-on` : SIGN_IN.oidc}
    </Button>
  );
}
