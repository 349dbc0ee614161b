-- Made by scripts/schema.ts from a migrated database; change the migrations, not this file.

CREATE TABLE account_identities (
  hash text not null primary key,
  account_id integer not null,
  issuer text not null,
  subject text not null,
  created_at integer not null,
  used_at integer not null,
  constraint account_identities_user foreign key (account_id) references users (id) on delete cascade
);

CREATE INDEX "account_identities_account" on "account_identities" (account_id);

CREATE TABLE account_mail (
  account_id integer not null primary key,
  email text,
  proved_at integer,
  language text not null,
  choices text not null,
  display_name text,
  constraint account_mail_email unique (email)
);

CREATE TABLE account_usage (
  account_id integer not null primary key,
  bytes integer not null,
  moves integer not null default 0
);

CREATE TABLE acme_accounts (
  id text not null primary key,
  private_key text not null,
  created_at integer not null
);

CREATE TABLE authenticators (
  account_id integer not null primary key,
  secret text not null,
  confirmed_at integer,
  last_step integer not null,
  created_at integer not null
);

CREATE TABLE blobs (
  id integer primary key autoincrement,
  policy_id integer not null,
  sha256 text not null,
  generation integer not null,
  retired integer not null,
  size integer not null,
  refs integer not null,
  state text not null,
  object_key text not null,
  checked_at integer not null,
  created_at integer not null,
  kept_until integer not null default 0,
  constraint blobs_content unique (policy_id, sha256, retired),
  constraint blobs_object_key unique (object_key),
  constraint blobs_policy foreign key (policy_id) references policies (id)
);

CREATE INDEX "blobs_state" on "blobs" (state, checked_at);

CREATE TABLE bulk_changes (
  id integer primary key autoincrement,
  at integer not null,
  bulk integer not null,
  actor text not null,
  via text not null,
  account_id integer,
  action text not null,
  subject text not null,
  "before" text,
  "after" text,
  links integer not null,
  state text not null,
  undo_place integer not null default 0,
  restored integer not null default 0,
  failed integer not null default 0,
  refusal text,
  undone_at integer,
  undone_by text,
  undone_via text,
  undone_account integer,
  constraint bulk_changes_bulk unique (at, bulk)
);

CREATE INDEX "bulk_changes_account" on "bulk_changes" (account_id, at, bulk);

CREATE INDEX "bulk_changes_state" on "bulk_changes" (state);

CREATE TABLE certificates (
  host text not null primary key,
  pair text,
  renew_at integer,
  ask_at integer,
  order_url text,
  order_key text,
  challenge text,
  failures integer not null default 0,
  failure text,
  try_at integer not null default 0
);

CREATE TABLE changes (
  id integer primary key autoincrement,
  topic text not null,
  payload text not null,
  origin text not null,
  created_at integer not null
);

CREATE INDEX "changes_created_at" on "changes" (created_at);

CREATE TABLE click_day_changes (
  day integer not null primary key,
  changes integer not null
) without rowid;

CREATE TABLE click_days (
  day integer not null,
  link_id integer not null,
  clicks integer not null,
  automated integer not null default 0,
  primary key (day, link_id)
) without rowid;

CREATE TABLE click_dim_days (
  day integer not null,
  link_id integer not null,
  dimension integer not null,
  value_id integer not null,
  clicks integer not null,
  automated integer not null default 0,
  primary key (day, link_id, dimension, value_id)
) without rowid;

CREATE TABLE click_dim_hours (
  hour integer not null,
  dimension integer not null,
  value_id integer not null,
  clicks integer not null,
  automated integer not null default 0,
  primary key (hour, dimension, value_id)
) without rowid;

CREATE TABLE click_dim_months (
  month integer not null,
  link_id integer not null,
  dimension integer not null,
  value_id integer not null,
  clicks integer not null,
  automated integer not null default 0,
  primary key (month, link_id, dimension, value_id)
) without rowid;

CREATE TABLE click_hours (
  hour integer not null,
  link_id integer not null,
  clicks integer not null,
  automated integer not null default 0,
  primary key (hour, link_id)
) without rowid;

CREATE TABLE click_log (
  id integer primary key autoincrement,
  link_id integer not null,
  clicked_at integer not null,
  referrer text,
  source text not null,
  ip_address text,
  country text,
  city text,
  user_agent_id integer,
  automated integer not null default 0,
  referrer_host text,
  utm_source text,
  utm_medium text,
  utm_campaign text,
  utm_term text,
  utm_content text,
  language text,
  channel text,
  rule text
);

CREATE INDEX "click_log_clicked_at" on "click_log" (clicked_at, link_id);

CREATE TABLE click_months (
  month integer not null,
  link_id integer not null,
  clicks integer not null,
  automated integer not null default 0,
  primary key (month, link_id)
) without rowid;

CREATE TABLE click_set_days (
  set_id integer not null,
  day integer not null,
  changes integer not null,
  primary key (set_id, day)
) without rowid;

CREATE TABLE click_set_values (
  set_id integer not null,
  dimension integer not null,
  day integer not null,
  value_id integer not null,
  clicks integer not null,
  automated integer not null default 0,
  primary key (set_id, dimension, day, value_id)
) without rowid;

CREATE TABLE click_sets (
  id integer primary key autoincrement,
  links text not null,
  used_day integer not null,
  constraint click_sets_links unique (links)
);

CREATE TABLE click_values (
  id integer primary key autoincrement,
  dimension integer not null,
  value text not null,
  seen_day integer not null,
  constraint click_values_value unique (dimension, value)
);

CREATE TABLE click_visitors (
  day integer not null,
  link_id integer not null,
  visitor integer not null,
  primary key (day, link_id, visitor)
) without rowid;

CREATE TABLE click_zones (
  id integer not null primary key,
  zones text not null
);

CREATE TABLE copies (
  entry_id integer not null primary key,
  account_id integer not null,
  parent_id integer not null,
  name text not null,
  bytes integer not null,
  level integer not null,
  source_id integer not null,
  last_id integer not null,
  constraint copies_entry foreign key (entry_id) references entries (id) on delete cascade
);

CREATE INDEX "copies_account_id" on "copies" (account_id);

CREATE TABLE copy_items (
  id integer primary key autoincrement,
  entry_id integer not null,
  level integer not null,
  source_id integer not null,
  parent_id integer not null,
  kind text not null,
  name text not null,
  size integer not null,
  copy_id integer,
  constraint copy_items_source unique (entry_id, level, source_id),
  constraint copy_items_entry foreign key (entry_id) references entries (id) on delete cascade
);

CREATE TABLE dav_locks (
  id integer not null primary key,
  content text not null
);

CREATE TABLE dav_properties (
  id integer not null primary key,
  content text not null,
  constraint dav_properties_entry foreign key (id) references entries (id) on delete cascade
);

CREATE TABLE deleted_links (
  link_id integer not null primary key,
  code text not null,
  deleted_at integer not null,
  deleted_by text,
  content text,
  owner_id integer,
  clicks integer not null default 0,
  automated integer not null default 0
);

CREATE INDEX "deleted_links_code" on "deleted_links" (code);

CREATE INDEX "deleted_links_deleted_at" on "deleted_links" (deleted_at, link_id);

CREATE INDEX "deleted_links_owner" on "deleted_links" (owner_id, deleted_at, link_id);

CREATE TABLE detail_drops (
  day integer not null,
  reason text not null,
  clicks integer not null,
  primary key (day, reason)
) without rowid;

CREATE TABLE domain_documents (
  domain_id integer not null,
  name text not null,
  type text not null,
  size integer not null,
  sha256 text not null,
  text text not null,
  primary key (domain_id, name),
  constraint domain_documents_domain foreign key (domain_id) references domains (id) on delete cascade
);

CREATE TABLE domains (
  id integer primary key autoincrement,
  host text not null,
  default_url text,
  not_found_url text,
  expired_url text,
  created_at integer not null,
  updated_at integer not null,
  owner_id integer,
  ignore_case integer not null default 0,
  constraint domains_host unique (host)
);

CREATE TABLE drop_files (
  entry_id integer not null primary key,
  link_id integer not null,
  sender text not null,
  sender_name text,
  name text not null,
  created_at integer not null,
  sender_email text,
  path text,
  constraint drop_files_entry foreign key (entry_id) references entries (id) on delete cascade
);

CREATE INDEX "drop_files_link_id" on "drop_files" (link_id, sender, entry_id);

CREATE TABLE drop_senders (
  link_id integer not null,
  sender text not null,
  folder_id integer not null,
  primary key (link_id, sender),
  constraint drop_senders_link foreign key (link_id) references links (id) on delete cascade,
  constraint drop_senders_folder foreign key (folder_id) references entries (id) on delete cascade
);

CREATE INDEX "drop_senders_folder_id" on "drop_senders" (folder_id);

CREATE TRIGGER entries_name_added after insert on entries begin insert into entry_names(rowid, name) values (new.id, new.name || char(1, 1)); end;

CREATE TRIGGER entries_name_changed after update of name on entries
    when new.name <> old.name begin
    insert into entry_names(entry_names, rowid, name) values ('delete', old.id, old.name || char(1, 1)); insert into entry_names(rowid, name) values (new.id, new.name || char(1, 1)); end;

CREATE TRIGGER entries_name_removed after delete on entries begin
    insert into entry_names(entry_names, rowid, name) values ('delete', old.id, old.name || char(1, 1)); end;

CREATE TABLE entries (
  id integer primary key autoincrement,
  account_id integer not null,
  parent_id integer not null,
  kind text not null,
  name text not null,
  policy_id integer,
  blob_id integer,
  mime_type text,
  sha256 text,
  size integer not null,
  modified_at integer,
  versions_bytes integer not null default 0,
  created_by text,
  disk_time integer,
  disk_name text,
  created_at integer not null,
  updated_at integer not null,
  constraint entries_name unique (account_id, parent_id, name),
  constraint entries_policy foreign key (policy_id) references policies (id),
  constraint entries_blob foreign key (blob_id) references blobs (id)
);

CREATE INDEX "entries_blob_id" on "entries" (blob_id);

CREATE INDEX "entries_kind" on "entries" (account_id, parent_id, kind, name);

CREATE INDEX "entries_policy_id" on "entries" (policy_id);

CREATE VIRTUAL TABLE entry_name_grams using fts5vocab(entry_names, instance);

CREATE VIRTUAL TABLE entry_names
    using fts5(name, content='', columnsize=0, detail=none, tokenize='trigram');

CREATE TABLE 'entry_names_config'(k PRIMARY KEY, v) WITHOUT ROWID;

CREATE TABLE 'entry_names_data'(id INTEGER PRIMARY KEY, block BLOB);

CREATE TABLE 'entry_names_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;

CREATE TABLE events (
  id integer primary key autoincrement,
  at integer not null,
  actor text not null,
  via text not null,
  action text not null,
  subject text not null,
  subject_id integer,
  "before" text,
  "after" text,
  bulk integer,
  untold integer,
  tool text
);

CREATE INDEX "events_action" on "events" (action, at, id);

CREATE INDEX "events_actor" on "events" (actor, at, id);

CREATE INDEX "events_at" on "events" (at, id);

CREATE INDEX "events_subject" on "events" (subject, at, id);

CREATE INDEX "events_subject_id" on "events" (subject_id, at, id);

CREATE INDEX "events_untold" on "events" (untold, id);

CREATE TABLE file_versions (
  id integer primary key autoincrement,
  entry_id integer not null,
  blob_id integer not null,
  mime_type text not null,
  sha256 text not null,
  size integer not null,
  modified_at integer not null,
  created_at integer not null,
  created_by text,
  replaced_at integer not null,
  constraint file_versions_entry foreign key (entry_id) references entries (id),
  constraint file_versions_blob foreign key (blob_id) references blobs (id)
);

CREATE INDEX "file_versions_blob_id" on "file_versions" (blob_id);

CREATE INDEX "file_versions_of_entry" on "file_versions" (entry_id, id);

CREATE INDEX "file_versions_replaced_at" on "file_versions" (replaced_at, id);

CREATE TABLE import_clicks (
  import_id integer not null,
  link_id integer not null,
  unit integer not null,
  bucket integer not null,
  dimension integer not null,
  value_id integer not null,
  clicks integer not null,
  automated integer not null default 0,
  primary key (import_id, link_id, unit, bucket, dimension, value_id)
) without rowid;

CREATE TABLE import_entries (
  import_id integer not null,
  entry_id integer not null,
  parent_id integer not null,
  made_at integer not null,
  primary key (import_id, entry_id)
);

CREATE INDEX "import_entries_parent" on "import_entries" (import_id, parent_id);

CREATE TABLE import_links (
  import_id integer not null,
  source_key text not null,
  link_id integer not null,
  made_at integer not null,
  total integer not null default 0,
  dated integer not null default 0,
  automated integer not null default 0,
  removed integer not null default 0,
  primary key (import_id, source_key)
);

CREATE INDEX "import_links_link" on "import_links" (import_id, removed, link_id);

CREATE TABLE import_notes (
  id integer primary key autoincrement,
  import_id integer not null,
  place integer not null,
  kind text not null,
  code text not null,
  reason text not null
);

CREATE INDEX "import_notes_import" on "import_notes" (import_id, id);

CREATE INDEX "import_notes_kind" on "import_notes" (import_id, kind, id);

CREATE TABLE imports (
  id integer primary key autoincrement,
  product text not null,
  source text not null,
  file text,
  secret text,
  state text not null,
  created_at integer not null,
  created_by text not null,
  updated_at integer not null,
  options text not null,
  report text not null,
  link_place integer not null default 0,
  visit_place integer not null default 0,
  event_id integer,
  file_place integer not null default 0
);

CREATE TABLE instance (
  id integer not null primary key,
  uuid text not null,
  created_at integer not null
, key_fingerprint text);

CREATE TABLE journals (
  id text not null primary key,
  position integer not null,
  updated_at integer not null
);

CREATE TABLE leases (
  name text not null primary key,
  owner text not null,
  expires_at integer not null
);

CREATE TABLE link_aliases (
  code text not null primary key,
  link_id integer not null,
  created_at integer not null,
  constraint link_aliases_link foreign key (link_id) references links (id) on delete cascade
);

CREATE INDEX "link_aliases_link_id" on "link_aliases" (link_id);

CREATE TABLE link_clicks (
  link_id integer not null primary key,
  clicks integer not null,
  ranked integer not null default 0,
  automated integer not null default 0,
  ranked_human integer not null default 0,
  constraint link_clicks_link foreign key (link_id) references links (id) on delete cascade
);

CREATE INDEX "link_clicks_ranked" on "link_clicks" (ranked, link_id);

CREATE INDEX "link_clicks_ranked_human" on "link_clicks" (ranked_human, link_id);

CREATE TABLE link_downloads (
  link_id integer not null primary key,
  downloads integer not null,
  constraint link_downloads_link foreign key (link_id) references links (id) on delete cascade
) without rowid;

CREATE TABLE link_reports (
  id integer primary key autoincrement,
  link_id integer not null,
  at integer not null,
  reason text not null,
  details text,
  resolved_at integer,
  resolved_by text,
  constraint link_reports_link foreign key (link_id) references links (id) on delete cascade
);

CREATE INDEX "link_reports_link" on "link_reports" (link_id, resolved_at);

CREATE INDEX "link_reports_open" on "link_reports" (resolved_at, id);

CREATE TABLE link_tags (
  tag_id integer not null,
  link_id integer not null,
  primary key (tag_id, link_id),
  constraint link_tags_link foreign key (link_id) references links (id) on delete cascade
) without rowid;

CREATE INDEX "link_tags_link_id" on "link_tags" (link_id);

CREATE VIRTUAL TABLE link_texts
    using fts5(texts, content='', columnsize=0, detail=none, tokenize='trigram');

CREATE TABLE 'link_texts_config'(k PRIMARY KEY, v) WITHOUT ROWID;

CREATE TABLE 'link_texts_data'(id INTEGER PRIMARY KEY, block BLOB);

CREATE TABLE link_texts_due (link_id integer primary key, indexed text);

CREATE TABLE 'link_texts_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;

CREATE TABLE link_totals (
  id integer primary key autoincrement,
  links integer not null,
  clicks integer not null default 0,
  automated integer not null default 0,
  imported integer not null default 0
);

CREATE TABLE link_uses (
  link_id integer not null primary key,
  uses integer not null,
  constraint link_uses_link foreign key (link_id) references links (id) on delete cascade
);

CREATE TABLE linked_folders (
  entry_id integer not null primary key,
  inode text,
  scanned_at integer not null,
  files integer not null,
  trouble text,
  constraint linked_folders_entry foreign key (entry_id) references entries (id) on delete cascade
);

CREATE TRIGGER links_texts_added after insert on links
    begin insert into link_texts_due (link_id, indexed) values (new.id, null) on conflict do nothing; end;

CREATE TRIGGER links_texts_changed after update of code, target, title, note on links
    when new.code is not old.code or new.target is not old.target or new.title is not old.title or new.note is not old.note begin insert into link_texts_due (link_id, indexed) values (old.id, coalesce(old.code, '') || char(10) || coalesce(old.target, '') || char(10) || coalesce(old.title, '') || char(10) || coalesce(old.note, '')) on conflict do nothing; end;

CREATE TRIGGER links_texts_removed after delete on links
    begin insert into link_texts_due (link_id, indexed) values (old.id, coalesce(old.code, '') || char(10) || coalesce(old.target, '') || char(10) || coalesce(old.title, '') || char(10) || coalesce(old.note, '')) on conflict do nothing; end;

CREATE TABLE links (
  id integer primary key autoincrement,
  code text not null,
  target text not null,
  created_at integer not null,
  updated_at integer not null,
  expires_at integer,
  password_hash text,
  title text,
  note text,
  owner_id integer,
  created_by text,
  options text,
  held text,
  dead_since integer,
  target_hash integer,
  constraint links_code unique (code)
);

CREATE INDEX "links_created_at" on "links" (created_at desc, code, expires_at);

CREATE INDEX "links_dead_since" on "links" (dead_since);

CREATE INDEX "links_expires_at" on "links" (expires_at, id);

CREATE INDEX "links_held" on "links" (held, created_at);

CREATE INDEX "links_owner" on "links" (owner_id, created_at desc, code);

CREATE INDEX "links_target" on "links" (target_hash, owner_id);

CREATE TABLE login_failures (
  account text not null primary key,
  failures integer not null,
  retry_at integer not null,
  updated_at integer not null
);

CREATE TABLE mails (
  id integer primary key autoincrement,
  kind text not null,
  account_id integer,
  recipient text not null,
  language text not null,
  content text not null,
  state text not null,
  due_at integer not null,
  attempts integer not null,
  tried_at integer,
  is_server_trouble integer not null,
  was_interrupted integer not null,
  error text,
  created_at integer not null,
  sent_at integer,
  useful_until integer,
  once_key text,
  constraint mails_once unique (once_key)
);

CREATE INDEX "mails_created" on "mails" (created_at, id);

CREATE INDEX "mails_due" on "mails" (state, due_at, id);

CREATE TABLE missing_codes (
  day integer not null,
  code text not null,
  human integer not null default 0,
  automated integer not null default 0,
  seen_at integer not null,
  primary key (day, code)
) without rowid;

CREATE TABLE oidc_sessions (
  session_id text not null primary key,
  id_token text not null,
  constraint oidc_sessions_session foreign key (session_id) references sessions (id) on delete cascade
);

CREATE TABLE owner_tags (
  owner_id integer not null,
  tag_id integer not null,
  links integer not null,
  primary key (owner_id, tag_id)
) without rowid;

CREATE TABLE passkeys (
  id integer primary key autoincrement,
  account_id integer not null,
  name text not null,
  credential_hash text not null,
  credential_id text not null,
  public_key text not null,
  counter integer not null,
  transports text not null,
  backed_up integer not null,
  created_at integer not null,
  last_used_at integer,
  constraint passkeys_credential unique (credential_hash)
);

CREATE INDEX "passkeys_account" on "passkeys" (account_id);

CREATE TABLE policies (
  id integer primary key autoincrement,
  name text not null,
  driver_type text not null,
  endpoint text,
  bucket text,
  region text,
  access_key text,
  secret_key text,
  base_path text not null,
  max_file_size integer not null,
  download text not null,
  is_default integer,
  read_only integer,
  rescan_minutes integer,
  created_at integer not null,
  updated_at integer not null,
  constraint policies_name unique (name),
  constraint policies_default unique (is_default)
);

CREATE TABLE presets (
  id integer primary key autoincrement,
  kind text not null,
  owner_id integer not null,
  name text not null,
  content text not null,
  created_at integer not null,
  created_by text,
  constraint presets_name unique (owner_id, kind, name)
);

CREATE TABLE recovery_codes (
  account_id integer not null,
  hash text not null,
  primary key (account_id, hash)
);

CREATE TABLE repeats (
  id text not null primary key,
  account_id integer not null,
  fingerprint text not null,
  claim text not null,
  state text not null,
  claimed_until integer not null,
  expires_at integer not null,
  size integer not null,
  answer text
);

CREATE INDEX "repeats_account" on "repeats" (account_id, expires_at, size);

CREATE INDEX "repeats_expiry" on "repeats" (expires_at);

CREATE TABLE report_mails (
  id integer primary key autoincrement,
  link_id integer not null,
  every text not null,
  minute integer not null,
  next_at integer not null,
  last_at integer,
  created_by text,
  created_at integer not null,
  constraint report_mails_link foreign key (link_id) references links (id) on delete cascade
);

CREATE INDEX "report_mails_link_id" on "report_mails" (link_id, id);

CREATE INDEX "report_mails_next_at" on "report_mails" (next_at, id);

CREATE TABLE report_pages (
  link_id integer not null primary key,
  filter text not null,
  days integer,
  first_day text,
  last_day text,
  constraint report_pages_link foreign key (link_id) references links (id) on delete cascade
);

CREATE TABLE report_readers (
  id integer primary key autoincrement,
  mail_id integer not null,
  email text not null,
  language text not null,
  state text not null,
  token text not null,
  changed_at integer not null,
  constraint report_readers_email unique (mail_id, email),
  constraint report_readers_token unique (token),
  constraint report_readers_mail foreign key (mail_id) references report_mails (id) on delete cascade
);

CREATE INDEX "report_readers_of" on "report_readers" (email, state);

CREATE TABLE reuse_turns (
  id integer not null primary key
);

CREATE TABLE sessions (
  id text not null primary key,
  user_id integer not null,
  created_at integer not null,
  expires_at integer not null,
  refresh_jti text not null,
  previous_jti text,
  rotated_at integer,
  revoked_at integer,
  address text,
  browser text,
  os text,
  signed_in_by text
);

CREATE INDEX "sessions_expires_at" on "sessions" (expires_at);

CREATE INDEX "sessions_user_id" on "sessions" (user_id);

CREATE TABLE settings (
  "key" text not null primary key,
  value text not null,
  updated_at integer not null,
  updated_by text not null
);

CREATE TABLE settings_history (
  id integer primary key autoincrement,
  "key" text not null,
  old_value text,
  new_value text,
  changed_at integer not null,
  changed_by text not null
);

CREATE INDEX "settings_history_key" on "settings_history" ("key", id);

CREATE TABLE share_items (
  link_id integer not null,
  entry_id integer not null,
  primary key (link_id, entry_id),
  constraint share_items_link foreign key (link_id) references links (id) on delete cascade,
  constraint share_items_entry foreign key (entry_id) references entries (id) on delete cascade
);

CREATE INDEX "share_items_entry_id" on "share_items" (entry_id);

CREATE TABLE share_recipients (
  id integer primary key autoincrement,
  link_id integer not null,
  email text not null,
  code_hash text,
  code_until integer not null,
  code_tries integer not null,
  codes_full_at integer not null,
  constraint share_recipients_email unique (link_id, email),
  constraint share_recipients_link foreign key (link_id) references links (id) on delete cascade
);

CREATE TABLE share_visits (
  id integer primary key autoincrement,
  link_id integer not null,
  email text,
  action text not null,
  name text,
  at integer not null,
  browser text,
  os text,
  automated integer not null default 0,
  constraint share_visits_link foreign key (link_id) references links (id) on delete cascade
);

CREATE INDEX "share_visits_of_link" on "share_visits" (link_id, id);

CREATE TABLE shares (
  link_id integer not null primary key,
  entry_id integer not null,
  max_downloads integer,
  downloads integer not null,
  created_at integer not null,
  max_bytes integer,
  max_files integer,
  max_file_size integer,
  bytes integer not null default 0,
  files integer not null default 0,
  account_id integer not null default 0,
  message text,
  verify integer not null default 0,
  two_way integer not null default 0,
  several integer not null default 0,
  requires text,
  sender_folders integer not null default 0,
  types text,
  constraint shares_link foreign key (link_id) references links (id) on delete cascade,
  constraint shares_entry foreign key (entry_id) references entries (id)
);

CREATE INDEX "shares_account" on "shares" (account_id, link_id);

CREATE INDEX "shares_entry_id" on "shares" (entry_id);

CREATE TABLE staged_counts (
  policy_id integer not null primary key,
  objects integer not null,
  bytes integer not null,
  abandoned_objects integer not null,
  abandoned_bytes integer not null,
  counted_at integer not null,
  constraint staged_counts_policy foreign key (policy_id) references policies (id) on delete cascade
);

CREATE TABLE storage_move_failures (
  blob_id integer not null primary key,
  policy_id integer not null,
  reason text not null,
  constraint storage_move_failures_blob foreign key (blob_id) references blobs (id) on delete cascade
);

CREATE INDEX "storage_move_failures_policy_id" on "storage_move_failures" (policy_id);

CREATE TABLE storage_moves (
  policy_id integer not null primary key,
  to_id integer not null,
  state text not null,
  rate integer not null,
  objects_done integer not null,
  bytes_done integer not null,
  begun_at integer not null,
  begun_objects integer not null,
  begun_bytes integer not null,
  trouble text,
  constraint storage_moves_policy foreign key (policy_id) references policies (id) on delete cascade,
  constraint storage_moves_to foreign key (to_id) references policies (id) on delete cascade
);

CREATE INDEX "storage_moves_to_id" on "storage_moves" (to_id);

CREATE TABLE tags (
  id integer primary key autoincrement,
  tag text not null,
  links integer not null,
  constraint tags_tag unique (tag)
);

CREATE TABLE target_checks (
  link_id integer not null primary key,
  failures integer not null,
  failed_since integer not null,
  checked_at integer not null,
  problem text not null,
  constraint target_checks_link foreign key (link_id) references links (id) on delete cascade
);

CREATE TABLE target_rounds (
  id integer not null primary key,
  started_at integer not null,
  link_id integer not null
);

CREATE TABLE team_members (
  team_id integer not null,
  account_id integer not null,
  role text not null,
  primary key (team_id, account_id),
  constraint team_members_team foreign key (team_id) references teams (id) on delete cascade
);

CREATE INDEX "team_members_account" on "team_members" (account_id, team_id);

CREATE TABLE teams (
  id integer primary key autoincrement,
  name text not null,
  created_at integer not null,
  updated_at integer not null,
  quota_bytes integer not null default 0,
  constraint teams_name unique (name)
);

CREATE TABLE title_fetches (
  link_id integer not null primary key,
  constraint title_fetches_link foreign key (link_id) references links (id) on delete cascade
);

CREATE TABLE tokens (
  id integer primary key autoincrement,
  user_id integer not null,
  name text not null,
  hash text not null,
  scopes text not null,
  created_at integer not null,
  expires_at integer,
  last_used_at integer,
  folder_id integer,
  constraint tokens_hash unique (hash),
  constraint tokens_name unique (user_id, name)
);

CREATE TABLE transfers (
  entry_id integer not null primary key,
  from_id integer not null,
  to_id integer not null,
  parent_id integer not null,
  name text not null,
  is_whole integer not null,
  bytes integer not null,
  constraint transfers_entry foreign key (entry_id) references entries (id) on delete cascade
);

CREATE INDEX "transfers_from" on "transfers" (from_id);

CREATE TABLE trash (
  entry_id integer not null primary key,
  account_id integer not null,
  parent_id integer not null,
  name text not null,
  trashed_at integer not null,
  constraint trash_entry foreign key (entry_id) references entries (id) on delete cascade
);

CREATE INDEX "trash_account" on "trash" (account_id, trashed_at, entry_id);

CREATE INDEX "trash_trashed_at" on "trash" (trashed_at, entry_id);

CREATE TABLE uploads (
  id text not null primary key,
  account_id integer not null,
  folder_id integer not null,
  name text not null,
  mime_type text not null,
  metadata text not null,
  size integer,
  received integer not null,
  policy_id integer not null,
  modified_at integer,
  created_at integer not null,
  expires_at integer not null,
  drop_link_id integer,
  sender text,
  sender_name text,
  sender_address text,
  sender_email text,
  path text,
  constraint uploads_policy foreign key (policy_id) references policies (id)
);

CREATE INDEX "uploads_account_id" on "uploads" (account_id);

CREATE INDEX "uploads_expires_at" on "uploads" (expires_at);

CREATE INDEX "uploads_policy_id" on "uploads" (policy_id);

CREATE TABLE user_agents (
  id integer primary key autoincrement,
  hash text not null,
  text text not null,
  value_id integer not null,
  seen_day integer not null,
  constraint user_agents_hash unique (hash)
);

CREATE TABLE users (
  id integer primary key autoincrement,
  username text not null,
  password_hash text not null,
  role text not null,
  disabled integer not null,
  created_at integer not null,
  updated_at integer not null,
  quota_bytes integer not null default 0,
  constraint users_username unique (username)
);

CREATE TABLE visitor_days (
  day integer not null,
  link_id integer not null,
  visitors integer not null,
  automated integer not null default 0,
  primary key (day, link_id)
) without rowid;

CREATE TABLE visitor_salts (
  day integer not null primary key,
  salt text not null
);

CREATE TABLE webhook_deliveries (
  id integer primary key autoincrement,
  webhook_id integer not null,
  event_id integer,
  event text not null,
  state text not null,
  due_at integer not null,
  attempts integer not null,
  tried_at integer,
  tries text not null,
  created_at integer not null,
  delivered_at integer,
  constraint webhook_deliveries_event unique (webhook_id, event_id)
);

CREATE INDEX "webhook_deliveries_created" on "webhook_deliveries" (created_at, id);

CREATE INDEX "webhook_deliveries_due" on "webhook_deliveries" (webhook_id, state, due_at, id);

CREATE INDEX "webhook_deliveries_newest" on "webhook_deliveries" (webhook_id, id);

CREATE TABLE webhooks (
  id integer primary key autoincrement,
  url text not null,
  events text not null,
  secret text not null,
  previous_secret text,
  previous_until integer,
  disabled_because text,
  failing_since integer,
  paused_until integer,
  replay_after integer,
  replay_to integer,
  created_at integer not null,
  updated_at integer not null
);
