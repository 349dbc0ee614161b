import { useLingui } from "@lingui/react/macro";

const OURS = "waymark:";

/** False for a share, drop box or report. */
export const isAddress = (target: string): boolean => !target.startsWith(OURS);

/** A target in words; null for an address. */
export function useTargetUse(): (target: string) => string | null {
  const { t } = useLingui();
  const names: Record<string, string> = {
    file: t`A shared file`,
    folder: t`A shared folder`,
    items: t`Shared files`,
    drop: t`A drop box`,
    report: t`A report page`,
  };
  return (target) => (isAddress(target) ? null : (names[target.slice(OURS.length).split("/")[0]!] ?? target));
}

/** A target in words, or the address. */
export function TargetUse({ target }: { target: string }) {
  return useTargetUse()(target) ?? target;
}
