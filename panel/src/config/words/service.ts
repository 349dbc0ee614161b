/** Paths, links, counting and the cache. */
import { msg } from "@lingui/core/macro";
import { LINKED_NAMES } from "../linked-names.ts";

const PREFIX = msg`1 to 3 segments of A-Z a-z 0-9 _ . -, each after a slash, at most 64 characters, without a slash at the end`;

export const SERVICE_WORDS = {
  "routes.admin_prefix": {
    name: msg`Admin prefix`,
    description: msg`Path of the admin API. Links can't use it.`,
    allowed: PREFIX,
  },
  "routes.health_prefix": {
    name: msg`Health prefix`,
    description: msg`Path of the health endpoints and metrics. Links can't use it.`,
    allowed: PREFIX,
  },
  "routes.frontend_prefix": {
    name: msg`Panel prefix`,
    description: msg`Path reserved for the panel. Links can't use it.`,
    allowed: PREFIX,
  },
  "features.random_code_length": {
    name: msg`Random code length`,
    description: msg`Length of the random code of a link made without one.`,
  },
  "features.share_code_length": {
    name: msg`Share code length`,
    description: msg`Length of the random code of a share. 14 characters can't be guessed.`,
  },
  "features.enforce_link_passwords": {
    name: msg`Enforce link passwords`,
    description: msg`Ask visitors for the password of a link before they go on. False: it is stored only.`,
  },
  "features.default_url": {
    name: msg`Default URL`,
    description: msg`Where the bare domain leads. Empty: 404.`,
    allowed: msg`empty or an absolute http or https URL without user name and password, at most 8192 bytes`,
  },
  "features.public_url": {
    name: LINKED_NAMES["features.public_url"],
    description: msg`The address that visitors use, such as https://go.example.com. Empty: the address of each request, or the listening address on the command line.`,
    allowed: msg`empty or scheme, host and optional port such as https://go.example.com, without a path`,
  },
  "features.well_known": {
    name: msg`Documents of the default domain`,
    description: msg`Documents that the default domain answers with at /.well-known/, such as apple-app-site-association and assetlinks.json, unless a link has that code. Other domains have their own.`,
    allowed: msg`a list of at most 16 documents, each with a name, a type and a text of at most 64 KiB`,
  },
  "features.instance_name": {
    name: msg`Instance name`,
    description: msg`Name of this instance in the panel, on the pages that visitors see and as an app.`,
    allowed: msg`1 to 64 characters that show something, without control characters and those that change the direction of text`,
  },
  "features.accent_color": {
    name: msg`Accent color`,
    description: msg`Color of this instance in the panel and on the pages that visitors see. Where it would be unreadable, text takes a darker or lighter shade.`,
    allowed: msg`a color as # and three or six hexadecimal digits, such as #1757c2`,
  },
  "features.logo": {
    name: msg`Logo`,
    description: msg`Logo of this instance in the panel, on the pages that visitors see and as their icon; best a square. Empty: an arrow in the accent color.`,
    allowed: msg`a PNG, JPEG or WebP; the panel makes other pictures and larger ones into one of these`,
  },
  "features.fetch_titles": {
    name: msg`Titles of targets`,
    description: msg`Give a link that is made or imported without a title that of its target's page, some seconds later and once. Other servers see these requests.`,
  },
  "features.report_links": {
    name: msg`Link reports`,
    description: msg`Let visitors report a link to the administrators on the page that its code with a + opens.`,
  },
  "features.enable_admin_panel": {
    name: msg`Enable admin panel`,
    description: msg`This panel is available. Off: Waymark is managed by the API and the command line alone.`,
  },
  "features.yourls_api": {
    name: msg`YOURLS API`,
    description: msg`Answer programs made for YOURLS at /yourls-api.php; an API token is their signature. Links can't use that path meanwhile.`,
  },
  "features.shlink_api": {
    name: msg`Shlink API`,
    description: msg`Answer programs made for Shlink at /rest/v3 and /rest/v2; an API token is their API key. Links can't use these paths meanwhile.`,
  },
  "click.enable_tracking": {
    name: msg`Count clicks`,
    description: msg`Count clicks.`,
  },
  "click.flush_interval": {
    name: msg`Flush interval`,
    description: msg`Seconds between two flushes of counted clicks to the database.`,
  },
  "click.max_clicks_before_flush": {
    name: msg`Max clicks before flush`,
    description: msg`Number of waiting clicks that starts an early flush.`,
  },
  "cache.bloom_rebuild_interval": {
    name: msg`Bloom rebuild interval`,
    description: msg`Seconds between two rebuilds of the Bloom filter. A rebuild drops deleted codes. 0: never.`,
  },
};
