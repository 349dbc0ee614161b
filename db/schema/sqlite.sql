-- Made by scripts/schema.ts from a migrated database; change the migrations, not this file.

CREATE TABLE changes (
  id integer primary key autoincrement,
  topic text not null,
  payload text not null,
  origin text not null,
  created_at integer not null
);

CREATE INDEX "changes_created_at" on "changes" (created_at);

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
