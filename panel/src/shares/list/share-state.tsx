import { useLingui } from "@lingui/react/macro";
import { Badge } from "@mantine/core";
import type { Share } from "../../base/api.ts";
import { serverNow } from "../../base/server-clock.ts";
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

const COLORS: Record<State, string> = {
  active: "green",
  expired: "gray",
  used_up: "gray",
  trash: "gray",
  damaged: "red",
};

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
  return (
    <Badge variant="dot" color={COLORS[state]} style={{ flexShrink: 0 }}>
      {names[state]}
    </Badge>
  );
}
