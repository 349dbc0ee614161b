/** Tables of clicks; see schema.ts. */
export const CLICK_TABLES = {
  /** Moved in the transaction that counts. */
  journals: { id: "text(36)", position: "int", updated_at: "int" },
  /** One row, id 1: the time zones of the sums, as clicks/rollups/calendar.repository.ts stores them. */
  click_zones: { id: "int", zones: "text(4000)" },
  /**
   * Clicks by hour, day and month of the time zone, as clicks/rollups/calendar.ts numbers them, written in the
   * transaction that counts. Link 0 is all links and keeps the history of deleted ones. A link with rows in hours or days
   * has one in months.
   */
  click_hours: { hour: "int", link_id: "int", clicks: "int", automated: "int0" },
  click_days: { day: "int", link_id: "int", clicks: "int", automated: "int0" },
  click_months: { month: "int", link_id: "int", clicks: "int", automated: "int0" },
  /** Texts by which clicks are counted (clicks/rollups/dimensions.ts). */
  click_values: {
    id: "serial",
    dimension: "int",
    value: "text(255)",
    /** The newest day of a click with this value. */
    seen_day: "int",
  },
  /** Clicks by value: for all links (link 0) and per link by day. */
  click_dim_hours: { hour: "int", dimension: "int", value_id: "int", clicks: "int", automated: "int0" },
  click_dim_days: {
    day: "int",
    link_id: "int",
    dimension: "int",
    value_id: "int",
    clicks: "int",
    automated: "int0",
  },
  /** Links have rows for campaigns alone, by which a link is asked beyond the retention of days. */
  click_dim_months: {
    month: "int",
    link_id: "int",
    dimension: "int",
    value_id: "int",
    clicks: "int",
    automated: "int0",
  },
  /** How often the values of a day changed since sets of links were first added up for it. */
  click_day_changes: { day: "int", changes: "int" },
  /** Sets of links of which sums of whole days are kept (clicks/analytics/set-days.repository.ts). */
  click_sets: {
    id: "serial",
    /** SHA-256 of the ids. */
    links: "text(43)",
    used_day: "int",
  },
  /** Days that are added up, and `changes` of the day then. */
  click_set_days: { set_id: "int", day: "int", changes: "int" },
  click_set_values: {
    set_id: "int",
    dimension: "int",
    day: "int",
    value_id: "int",
    clicks: "int",
    automated: "int0",
  },
  user_agents: {
    id: "serial",
    /** First 32 hex digits of the text's SHA-256. */
    hash: "text(32)",
    text: "text(1024)",
    /** Id in click_values. */
    value_id: "int",
    seen_day: "int",
  },
  click_log: {
    id: "serial",
    link_id: "int",
    clicked_at: "int",
    /** Cleaned. */
    referrer: "text(2048)?",
    /** The utm_source value, `ref:{domain}` or `direct`. */
    source: "text(255)",
    ip_address: "text(45)?",
    /** ISO 3166-1 alpha-2. */
    country: "text(2)?",
    city: "text(200)?",
    user_agent_id: "int?",
    /** 1 or 0. */
    automated: "int0",
    /** The host in lower case. */
    referrer_host: "text(255)?",
    /** The campaign of the request, else of the target. */
    utm_source: "text(255)?",
    utm_medium: "text(255)?",
    utm_campaign: "text(255)?",
    utm_term: "text(255)?",
    utm_content: "text(255)?",
    /** BCP 47, the first of Accept-Language. */
    language: "text(35)?",
    /** See clicks/details/channels.ts. */
    channel: "text(16)?",
    /** Number of the rule that decided where the link leads, from 1; null: none. */
    rule: "text(3)?",
  },
  /** Clicks without details in click_log (clicks/details/gate.ts). */
  detail_drops: {
    /** Days since 1970-01-01. */
    day: "int",
    /** "full", "disconnected", "sampled_out", "signal" or "stopped". */
    reason: "text(16)",
    clicks: "int",
  },
  /**
   * Visitors of the last days, by link and for all links together (link 0), so that each counts once a day. A visitor is
   * 53 bits of a keyed hash whose key is destroyed after the day (clicks/unique/salts.ts).
   */
  click_visitors: { day: "int", link_id: "int", visitor: "int" },
  /** Their numbers. Days without a row of link 0 are not known. */
  visitor_days: { day: "int", link_id: "int", visitors: "int", automated: "int0" },
  /** Sealed. */
  visitor_salts: { day: "int", salt: "text(200)" },
  /** Requests of codes without a link, by key (links/link/key.ts); the empty key has those beyond the bound. */
  missing_codes: { day: "int", code: "text(140)", human: "int0", automated: "int0", seen_at: "int" },
} as const;
