-- Made by scripts/schema.ts from a migrated database; change the migrations, not this file.

CREATE TABLE changes (
  id integer primary key autoincrement,
  topic text not null,
  payload text not null,
  origin text not null,
  created_at integer not null
);

CREATE INDEX "changes_created_at" on "changes" (created_at);

CREATE TABLE click_days (
  day integer not null,
  link_id integer not null,
  clicks integer not null,
  primary key (day, link_id)
) without rowid;

CREATE TABLE click_dim_days (
  day integer not null,
  link_id integer not null,
  dimension integer not null,
  value_id integer not null,
  clicks integer not null,
  primary key (day, link_id, dimension, value_id)
) without rowid;

CREATE TABLE click_dim_hours (
  hour integer not null,
  dimension integer not null,
  value_id integer not null,
  clicks integer not null,
  primary key (hour, dimension, value_id)
) without rowid;

CREATE TABLE click_dim_months (
  month integer not null,
  dimension integer not null,
  value_id integer not null,
  clicks integer not null,
  primary key (month, dimension, value_id)
) without rowid;

CREATE TABLE click_hours (
  hour integer not null,
  link_id integer not null,
  clicks integer not null,
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
  user_agent_id integer
);

CREATE INDEX "click_log_clicked_at" on "click_log" (clicked_at, link_id);

CREATE TABLE click_months (
  month integer not null,
  link_id integer not null,
  clicks integer not null,
  primary key (month, link_id)
) without rowid;

CREATE TABLE click_values (
  id integer primary key autoincrement,
  dimension integer not null,
  value text not null,
  seen_day integer not null,
  constraint click_values_value unique (dimension, value)
);

CREATE TABLE instance (
  id integer not null primary key,
  uuid text not null,
  created_at integer not null
);

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

CREATE TABLE link_clicks (
  link_id integer not null primary key,
  clicks integer not null,
  constraint link_clicks_link foreign key (link_id) references links (id) on delete cascade
);

CREATE TABLE links (
  id integer primary key autoincrement,
  code text not null,
  target text not null,
  created_at integer not null,
  updated_at integer not null,
  expires_at integer,
  password_hash text,
  constraint links_code unique (code)
);

CREATE INDEX "links_created_at" on "links" (created_at desc, code);

CREATE INDEX "links_expires_at" on "links" (expires_at);

CREATE TABLE login_failures (
  account text not null primary key,
  failures integer not null,
  retry_at integer not null,
  updated_at integer not null
);

CREATE TABLE sessions (
  id text not null primary key,
  user_id integer not null,
  created_at integer not null,
  expires_at integer not null,
  refresh_jti text not null,
  previous_jti text,
  rotated_at integer,
  revoked_at integer
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
  constraint users_username unique (username)
);
