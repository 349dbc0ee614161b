/** What is stored of visitors. */
import { msg } from "@lingui/core/macro";

export const PRIVACY_WORDS = {
  "privacy.addresses": {
    name: msg`Addresses`,
    description: msg`What the details of a click keep of the visitor's address. Earlier clicks stay as they are.`,
    options: {
      none: msg`No address, and so no place either.`,
      truncated: msg`The network only: the first 24 bits of IPv4, 48 of IPv6. Places come from the whole address.`,
      full: msg`The whole address.`,
    },
  },
  "privacy.keep_referrers": {
    name: msg`Keep referrers`,
    description: msg`Keep the page from which a visitor comes in the details of a click.`,
  },
  "privacy.keep_user_agents": {
    name: msg`Keep browsers`,
    description: msg`Keep browser, system, device and language in the details of a click. Bots are told from people either way.`,
  },
  "privacy.keep_locations": {
    name: msg`Keep places`,
    description: msg`Keep country and city in the details of a click, while places are looked up.`,
  },
  "privacy.keep_campaigns": {
    name: msg`Keep campaigns`,
    description: msg`Keep the campaign (utm_source and the like) in the details of a click.`,
  },
  "privacy.respect_signals": {
    name: msg`Respect signals`,
    description: msg`Keep no details of visitors whose browser sends Sec-GPC: 1 or DNT: 1. Their clicks are in the sums only.`,
  },
  "privacy.imprint_url": {
    name: msg`Imprint`,
    description: msg`Imprint, to which the pages that visitors see lead. Empty: none.`,
  },
  "privacy.notice_url": {
    name: msg`Privacy notice`,
    description: msg`Privacy notice, to which the pages that visitors see lead. Empty: none.`,
  },
};
