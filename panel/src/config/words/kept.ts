/** What is recorded, and how long it is kept. */
import { msg } from "@lingui/core/macro";
import { LINKED_NAMES } from "../linked-names.ts";

export const KEPT_WORDS = {
  "analytics.enable_detailed_logging": {
    name: LINKED_NAMES["analytics.enable_detailed_logging"],
    description: msg`Record each click with referrer, source, address and user agent.`,
  },
  "analytics.enable_auto_rollup": {
    name: msg`Enable retention task`,
    description: msg`Run the retention task, every 4 hours.`,
  },
  "analytics.log_retention_days": {
    name: msg`Log retention`,
    description: msg`Days to keep the details of each click.`,
  },
  "analytics.hourly_retention_days": {
    name: msg`Hourly retention`,
    description: msg`Days to keep the sums of each hour.`,
  },
  "analytics.daily_retention_days": {
    name: msg`Daily retention`,
    description: msg`Days to keep the sums of each day.`,
  },
  "analytics.enable_ip_logging": {
    name: msg`Keep addresses`,
    description: msg`Record addresses in click records.`,
  },
  "analytics.unique_visitors": {
    name: msg`Unique visitors`,
    description: msg`Tell visitors apart within a day, by a hash of address and user agent whose key is destroyed after the day. Needs the details of clicks.`,
  },
  "analytics.enable_geo_lookup": {
    name: LINKED_NAMES["analytics.enable_geo_lookup"],
    description: msg`Fill country and city of click records, off the request path.`,
  },
  "analytics.time_zone": {
    name: LINKED_NAMES["analytics.time_zone"],
    description: msg`Reports use the days and hours of this time zone, such as Europe/Berlin. When it changes, days whose hours are kept are counted again; older days stay as they are.`,
    allowed: msg`a time zone such as Europe/Berlin or UTC`,
  },
  "analytics.sample_rate": {
    name: msg`Sample rate`,
    description: msg`Share of clicks that detailed logging records; 1.0 is all. Counts stay exact.`,
  },
  "analytics.max_log_rows": {
    name: msg`Max log rows`,
    description: msg`Maximum number of raw click records. 0: unlimited. 10000000 suits one machine.`,
  },
  "analytics.max_rows_action": {
    name: msg`Action at the maximum`,
    description: msg`Action when analytics.max_log_rows is exceeded.`,
    options: {
      cleanup: msg`Delete the oldest records.`,
      stop: msg`Stop detailed logging.`,
    },
  },
  "events.retention_days": {
    name: msg`Event retention`,
    description: msg`Days to keep the record of who did what.`,
  },
  "files.trash_days": {
    name: msg`Trash days`,
    description: msg`Days after which files and folders in the trash are deleted.`,
  },
  "files.versions_keep": {
    name: msg`Versions of a file`,
    description: msg`Former contents that a file keeps when it gets a new one. 0 keeps none, and deletes those there are.`,
  },
  "files.versions_days": {
    name: msg`Version days`,
    description: msg`Days after which a former content is deleted. 0 keeps none, and deletes those there are.`,
  },
  "files.share_policy.roles": {
    name: msg`Bound by the share policy`,
    description: msg`Roles that the rules for shares below bind. Existing shares stay.`,
  },
  "files.share_policy.default_days": {
    name: msg`Default lifetime of shares`,
    description: msg`Days after which a share ends that is made without an end. 0: it never ends.`,
  },
  "files.share_policy.max_days": {
    name: msg`Longest lifetime of shares`,
    description: msg`Days after which every share ends at the latest. 0: no limit.`,
  },
  "files.share_policy.password": {
    name: msg`Passwords of shares`,
    description: msg`Every share and drop box needs a password.`,
  },
  "files.share_policy.max_downloads": {
    name: msg`Most downloads of shares`,
    description: msg`Most downloads that a share may have. 0: no limit.`,
  },
  "files.share_policy.verify": {
    name: msg`Shares for recipients only`,
    description: msg`Every share is for recipients who prove their address, so nobody opens one anonymously. Not for drop boxes.`,
  },
  "files.share_policy.recipient_domains": {
    name: msg`Domains of recipients`,
    description: msg`Domains of recipients' addresses. Empty: every domain.`,
    allowed: msg`a list of domain names such as example.com`,
  },
  "files.share_policy.by_role": {
    name: msg`Share policy by role`,
    description: msg`Limits that a role has instead of the other settings of files.share_policy, bound by them or not; several domains are several items.`,
    allowed: msg`a list of limits of a role such as user.max_days=7`,
  },
  "links.targets.allow": {
    name: msg`Allowed targets`,
    description: msg`Hosts that links may lead to, with their subdomains. Empty: every host that is not denied. Existing links stay.`,
    allowed: msg`a list of hosts such as example.com`,
  },
  "links.targets.deny": {
    name: msg`Denied targets`,
    description: msg`Hosts that links may not lead to, with their subdomains. Existing links stay.`,
    allowed: msg`a list of hosts such as example.com`,
  },
  "links.targets.schemes": {
    name: msg`Further schemes`,
    description: msg`Schemes that links may have besides http and https, such as mailto, tel, sms or whatsapp. Schemes of scripts, data and files are refused. Existing links stay.`,
    allowed: msg`a list of schemes such as mailto`,
  },
  "links.targets.roles": {
    name: msg`Bound by the allowed targets`,
    description: msg`Roles that links.targets.allow binds. Commands and imports count as admin.`,
  },
  "links.targets.approval": {
    name: msg`Approval instead of refusal`,
    description: msg`Roles whose links to hosts outside of links.targets.allow wait until an administrator approves them. Links of others are refused.`,
  },
  "links.check_targets": {
    name: msg`Check targets`,
    description: msg`Ask each target once a day whether it answers, and mark links whose target has failed for days. Other servers see these requests.`,
  },
  "links.ignore_case": {
    name: msg`Ignore case`,
    description: msg`Compare codes of the default domain without case (A to Z), and store them in lower case. It can't be turned on while codes differ by case only. Codes stay in lower case when it is turned off.`,
  },
  "links.forgive_tails": {
    name: msg`Forgive tails`,
    description: msg`Try a path that leads nowhere once more without what programs and people leave behind an address: full stops, commas, closing brackets, quotes, blanks, and a stuck &key=value.`,
  },
  "links.restore_days": {
    name: msg`Restore days`,
    description: msg`Days for which deleted links can be put back.`,
  },
  "utm.enable_passthrough": {
    name: msg`Pass campaigns on`,
    description: msg`Append utm_source, utm_medium, utm_campaign, utm_term and utm_content of the request to the target.`,
  },
};
