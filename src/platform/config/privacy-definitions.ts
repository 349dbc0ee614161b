/** Settings for what is stored of visitors. */
import * as check from "./value-checks.ts";
import { bool, choice, inCategory, string } from "./value-types.ts";

export const PRIVACY_DEFINITIONS = inCategory("privacy", {
  "privacy.addresses": choice(
    "full",
    {
      none: "No address, and so no place either.",
      truncated:
        "The network only: the first 24 bits of IPv4, 48 of IPv6. Places come from the whole address.",
      full: "The whole address.",
    },
    {
      description:
        "What the details of a click keep of the visitor's address, while analytics.enable_ip_logging is on. Earlier clicks stay as they are.",
    },
  ),
  "privacy.keep_referrers": bool(true, {
    description: "Keep the page from which a visitor comes in the details of a click.",
  }),
  "privacy.keep_agents": bool(true, {
    description:
      "Keep browser, system, device and language in the details of a click. Bots are told from people either way.",
  }),
  "privacy.keep_places": bool(true, {
    description: "Keep country and city in the details of a click, while analytics.enable_geo_lookup is on.",
  }),
  "privacy.keep_campaigns": bool(true, {
    description: "Keep the campaign (utm_source and the like) in the details of a click.",
  }),
  "privacy.respect_signals": bool(false, {
    description:
      "Keep no details of visitors whose browser sends Sec-GPC: 1 or DNT: 1. Their clicks are in the sums only.",
  }),
  "privacy.imprint_url": string("", check.urlOrEmpty, {
    description: "Imprint, to which the pages that visitors see lead. Empty: none.",
  }),
  "privacy.notice_url": string("", check.urlOrEmpty, {
    description:
      "Privacy notice, to which the pages that visitors see lead. Empty: none. The admin API lists at /v1/privacy what is stored.",
  }),
});
