import { useLingui } from "@lingui/react/macro";
import type { Share } from "../../base/api.ts";
import { serverNow } from "../../base/server-clock.ts";
import { StateBadge } from "../../ui/state-badge.tsx";
import type { ShareSearch } from "../share-search.ts";

type State = NonNullable<ShareSearch["state"]> | "trash";

/** What visitors find. In the server's order: damaged, expired, used up, active. */
export function stateOfShare(share: Share, now: number): State {
  const { in_trash: isInTrash, damaged, expires_at: expires, max_downloads: most, drop } = share;
  if (isInTrash) return "trash";
  if (damaged) return "damaged";
  if (expires !== null && Date.parse(expires) <= now) return "expired";
  const isUsedUp = most !== null && share.downloads >= most;
  const isFull =
    share.kind === "drop" && drop !== null && (drop.files >= drop.max_files || drop.bytes >= drop.max_bytes);
  return isUsedUp || isFull ? "used_up" : "active";
}

const TONES = {
  active: "good",
  expired: "quiet",
  used_up: "quiet",
  trash: "quiet",
  damaged: "bad",
} as const;

export function ShareStateBadge({ share }: { share: Share }) {
  const { t } = useLingui();
  const state = stateOfShare(share, serverNow());
  const names: Record<State, string> = {
    active: t`Active`,
    expired: t`Expired`,
    used_up: share.kind === "drop" ? t`Full` : t`Used up`,
    damaged: t`Damaged`,
    trash: t`In the trash`,
  };
  return <StateBadge tone={TONES[state]}>{names[state]}</StateBadge>;
}
