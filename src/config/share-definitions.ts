/** Settings for shares and drop boxes. */
import { bool, choices, int } from "./value-types.ts";

const DAYS = { min: 1, max: 3650, unit: "days", orZero: true } as const;

export const SHARE_DEFINITIONS = {
  "files.share_policy.roles": choices(["user", "editor"], ["user", "editor", "admin"], {
    category: "files",
    description: "Roles that the other settings of files.share_policy bind. Existing shares stay.",
  }),
  "files.share_policy.default_days": int(0, DAYS, {
    category: "files",
    description: "Days after which a share ends that is made without an end. 0: it never ends.",
  }),
  "files.share_policy.max_days": int(0, DAYS, {
    category: "files",
    description: "Days after which every share ends at the latest. 0: no limit.",
  }),
  "files.share_policy.password": bool(false, {
    category: "files",
    description: "Every share and drop box needs a password.",
  }),
  "files.share_policy.max_downloads": int(
    0,
    { min: 1, max: 1_000_000, orZero: true },
    { category: "files", description: "Most downloads that a share may have. 0: no limit." },
  ),
};
