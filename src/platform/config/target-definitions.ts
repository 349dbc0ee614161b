/** The settings of where links may lead. */
import * as check from "./value-checks.ts";
import { bool, choices, inCategory, list } from "./value-types.ts";

export const TARGET_DEFINITIONS = inCategory("links", {
  "links.targets.allow": list([], check.hostName, {
    description:
      "Hosts that links may lead to, with their subdomains. Empty: every host that is not denied. Existing links stay.",
  }),
  "links.targets.deny": list([], check.hostName, {
    description: "Hosts that links may not lead to, with their subdomains. Existing links stay.",
  }),
  "links.targets.schemes": list([], check.scheme, {
    description:
      "Schemes that links may have besides http and https, such as mailto, tel, sms or whatsapp. Schemes of scripts, data and files are refused. Existing links stay.",
  }),
  "links.targets.roles": choices(["editor", "admin"], ["editor", "admin"], {
    description: "Roles that links.targets.allow binds. Commands and imports count as admin.",
  }),
  "links.targets.approval": choices([], ["editor", "admin"], {
    description:
      "Roles whose links to hosts outside of links.targets.allow wait until an administrator approves them. Links of others are refused.",
  }),
  "links.check_targets": bool(false, {
    description:
      "Ask each target once a day whether it answers, and mark links whose target has failed for days. Other servers see these requests.",
  }),
});
