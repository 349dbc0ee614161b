/** Tables of links; see schema.ts. */
/** The rows of `reuse_turns`, numbered from 0. */
export const REUSE_TURNS = 64;

export const LINK_TABLES = {
  links: {
    id: "serial",
    /** The link's key (links/link/key.ts): on the default domain its code. Case-sensitive ASCII. */
    code: "text(140)",
    /** ≤ 8192 bytes. */
    target: "text",
    created_at: "int",
    updated_at: "int",
    expires_at: "int?",
    password_hash: "text(255)?",
    title: "text(200)?",
    /** ≤ 2,000 characters. */
    note: "text?",
    /** An account or team (lib/owner.ts); null for commands and imports. */
    owner_id: "int?",
    /** What people read: an account's name, `token:{name}` or `cli`. */
    created_by: "text(128)?",
    /** JSON (links/link/field-values.ts); null for a link that only redirects. */
    options: "text?",
    /** The state of `held` in the options, for filters. */
    held: "text(16)?",
    /** The checks of targets failed since then (links/safety/); null while the target responds. */
    dead_since: "int?",
    /** Of domain and target (links/link/target-hash.ts); null if anything else is set or the link serves files. */
    target_hash: "int?",
  },
  /** A create with `reuse` locks the row of its target's hash, so that two at once make one link. */
  reuse_turns: { id: "int" },
  /** Links whose title is to be that of their target's page. Removed before the page is requested, and with the link. */
  title_fetches: { link_id: "int" },
  /** Targets that failed their last check. Removed with the link. */
  target_checks: {
    link_id: "int",
    /** Failed checks in a row. */
    failures: "int",
    failed_since: "int",
    checked_at: "int",
    problem: "text(200)",
  },
  /** One row, id 1: which links the checks of targets have passed since their start. */
  target_rounds: { id: "int", started_at: "int", link_id: "int" },
  /** What visitors report. Removed with the link. */
  link_reports: {
    id: "serial",
    link_id: "int",
    at: "int",
    /** See links/safety/report.ts. */
    reason: "text(16)",
    details: "text(1000)?",
    resolved_at: "int?",
    resolved_by: "text(128)?",
  },
  /** Their sums are the numbers of links and clicks: see links/link/query.repository.ts. */
  link_totals: { id: "serial", links: "int", clicks: "int0", automated: "int0", imported: "int0" },
  /** Former codes of links, kept by renames; no link has them (links/write/writer.ts). Removed with the link. */
  link_aliases: { code: "text(140)", link_id: "int", created_at: "int" },
  /** How many people passed a link with `max_clicks`. Removed with the link. */
  link_uses: { link_id: "int", uses: "int" },
  /** Downloads of links that served a share and redirect now. Removed with the link. */
  link_downloads: { link_id: "int", downloads: "int" },
  /** `links` counts the rows of link_tags, in their transactions. A tag without links has no row. */
  tags: {
    id: "serial",
    /** Unique, lower-case, NFC, 1 to 64 characters. */
    tag: "text(64)",
    links: "int",
  },
  link_tags: { tag_id: "int", link_id: "int" },
  /** `links` counts the rows of link_tags of the owner's links, in their transactions; never 0. */
  owner_tags: { owner_id: "int", tag_id: "int", links: "int" },
  /** Hosts besides the default one, which is domain 0 without a row. */
  domains: {
    id: "serial",
    /** Unique, lower-case, Punycode, without port. */
    host: "text(253)",
    default_url: "text?",
    not_found_url: "text?",
    expired_url: "text?",
    created_at: "int",
    updated_at: "int",
    /** The owner, or null for the instance. */
    owner_id: "int?",
    /** 1: codes are compared without case, and stored in lower case. */
    ignore_case: "int0",
  },
  /** What hosts answer with at `/.well-known/{name}` (lib/well-known.ts). Removed with the domain. */
  domain_documents: {
    domain_id: "int",
    name: "text(100)",
    type: "text(100)",
    /** Bytes of the text. */
    size: "int",
    /** SHA-256 of the text in hex. */
    sha256: "text(64)",
    text: "text",
  },
  /** One row per link, removed with it. `ranked` and `ranked_human` are indexed: see links/list/jobs.ts. */
  link_clicks: { link_id: "int", clicks: "int", ranked: "int0", automated: "int0", ranked_human: "int0" },
  /**
   * For the analytics of deleted links, and to put them back: an id is here or in `links`. Retention removes a row with
   * the last row of its clicks, after `content`. A code may occur several times, and a link may have it again.
   */
  deleted_links: {
    link_id: "int",
    code: "text(140)",
    deleted_at: "int",
    deleted_by: "text(140)?",
    /** JSON (links/link/link.ts) while the link can be put back; never of a share. */
    content: "text?",
    owner_id: "int?",
    /** As in link_clicks, plus clicks that were flushed later. */
    clicks: "int0",
    automated: "int0",
  },
  /** Bulk changes of links (links/bulk-changes/), one row each, for `events.retention_days`. */
  bulk_changes: {
    id: "serial",
    /** With `bulk` as in its events, and unique. */
    at: "int",
    bulk: "int",
    actor: "text(140)",
    via: "text(16)",
    /** 0 is the built-in administrator; null: a command. */
    account_id: "int?",
    /** Of its events, such as "link.update"; "tag.rename" or "tag.delete". */
    action: "text(32)",
    /** The code of the first link, or the tag. */
    subject: "text(300)",
    /** JSON: the first link, or the tag, as in events. */
    before: "text?",
    after: "text?",
    /** The number of changed links. */
    links: "int",
    /** "done", "undoing" or "undone". */
    state: "text(8)",
    /** The last event that the undo has handled. */
    undo_place: "int0",
    restored: "int0",
    failed: "int0",
    /** Why the first link stays. */
    refusal: "text(1000)?",
    undone_at: "int?",
    undone_by: "text(140)?",
    undone_via: "text(16)?",
    undone_account: "int?",
  },
  /** What people save under a name to use it again. Removed with its owner. */
  presets: {
    id: "serial",
    /** "view": filters of a list of links. "report": of analytics. "utm": parameters of campaigns. Owner, kind and name are unique. */
    kind: "text(8)",
    /** An account or team (lib/owner.ts). */
    owner_id: "int",
    name: "text(64)",
    /** JSON. */
    content: "text",
    created_at: "int",
    created_by: "text(128)?",
  },
} as const;
