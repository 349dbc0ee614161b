import { Trans } from "@lingui/react/macro";

const OURS = "waymark:";

/** False for a share or drop box. */
export const isAddress = (target: string): boolean => !target.startsWith(OURS);

/** A target in words. */
export function TargetUse({ target }: { target: string }) {
  if (target.startsWith(`${OURS}file/`)) return <Trans>A shared file</Trans>;
  if (target.startsWith(`${OURS}folder/`)) return <Trans>A shared folder</Trans>;
  if (target.startsWith(`${OURS}drop/`)) return <Trans>A drop box</Trans>;
  return <Trans>An address</Trans>;
}
