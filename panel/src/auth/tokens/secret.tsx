import { Trans, useLingui } from "@lingui/react/macro";
import { Code } from "@mantine/core";
import { ADMIN_PREFIX, SERVER_URL } from "../../base/place.ts";
import { ShownOnce } from "../../ui/copy/shown-once.tsx";

/** A token is shown once. */
export function Secret({ secret, onClose }: { secret: string; onClose(): void }) {
  const { t } = useLingui();
  const example = `curl -H "Authorization: Bearer $TOKEN" ${SERVER_URL}${ADMIN_PREFIX}/v1/auth/me`;
  return (
    <ShownOnce secret={secret} title={t`Copy the token now. It is not shown again.`} onClose={onClose}>
      <Trans>A program sends it as a bearer token:</Trans>{" "}
      <Code style={{ overflowWrap: "anywhere" }}>{example}</Code>
    </ShownOnce>
  );
}
