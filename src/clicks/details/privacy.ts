/** What the click log keeps of a visitor: settings of the category `privacy`. */
import type { AddressMode } from "../../lib/kept-address.ts";

export type ClickPrivacy = Readonly<{
  addresses: AddressMode;
  referrers: boolean;
  agents: boolean;
  places: boolean;
  campaigns: boolean;
  /** Visitors who send Sec-GPC or DNT count in the sums only. */
  signals: boolean;
}>;
