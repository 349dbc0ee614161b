import { Trans, useLingui } from "@lingui/react/macro";
import { ShownOnce } from "../ui/copy/shown-once.tsx";

/** A secret is shown once. */
export function WebhookSecret({ secret, onClose }: { secret: string; onClose(): void }) {
  const { t } = useLingui();
  return (
    <ShownOnce secret={secret} title={t`Copy the secret now. It is not shown again.`} onClose={onClose}>
      <Trans>The receiver checks the signatures of requests with it, as Standard Webhooks says.</Trans>
    </ShownOnce>
  );
}
