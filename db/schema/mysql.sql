-- Made by scripts/schema.ts from a migrated database; change the migrations, not this file.

CREATE TABLE `account_identities` (
  `hash` varchar(64) COLLATE utf8mb4_bin NOT NULL,
  `account_id` bigint NOT NULL,
  `issuer` varchar(1000) COLLATE utf8mb4_bin NOT NULL,
  `subject` varchar(255) COLLATE utf8mb4_bin NOT NULL,
  `created_at` bigint NOT NULL,
  `used_at` bigint NOT NULL,
  PRIMARY KEY (`hash`),
  KEY `account_identities_account` (`account_id`),
  CONSTRAINT `account_identities_user` FOREIGN KEY (`account_id`) REFERENCES `users` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `account_mail` (
  `account_id` bigint NOT NULL,
  `email` varchar(254) COLLATE utf8mb4_bin DEFAULT NULL,
  `proved_at` bigint DEFAULT NULL,
  `language` varchar(8) COLLATE utf8mb4_bin NOT NULL,
  `choices` mediumtext COLLATE utf8mb4_bin NOT NULL,
  `display_name` varchar(100) COLLATE utf8mb4_bin DEFAULT NULL,
  PRIMARY KEY (`account_id`),
  UNIQUE KEY `account_mail_email` (`email`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `account_usage` (
  `account_id` bigint NOT NULL,
  `bytes` bigint NOT NULL,
  `moves` bigint NOT NULL DEFAULT '0',
  PRIMARY KEY (`account_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `acme_accounts` (
  `id` varchar(64) COLLATE utf8mb4_bin NOT NULL,
  `private_key` mediumtext COLLATE utf8mb4_bin NOT NULL,
  `created_at` bigint NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `authenticators` (
  `account_id` bigint NOT NULL,
  `secret` varchar(255) COLLATE utf8mb4_bin NOT NULL,
  `confirmed_at` bigint DEFAULT NULL,
  `last_step` bigint NOT NULL,
  `created_at` bigint NOT NULL,
  PRIMARY KEY (`account_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `blobs` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `policy_id` bigint NOT NULL,
  `sha256` varchar(64) COLLATE utf8mb4_bin NOT NULL,
  `generation` bigint NOT NULL,
  `retired` bigint NOT NULL,
  `size` bigint NOT NULL,
  `refs` bigint NOT NULL,
  `state` varchar(16) COLLATE utf8mb4_bin NOT NULL,
  `object_key` varchar(128) COLLATE utf8mb4_bin NOT NULL,
  `checked_at` bigint NOT NULL,
  `created_at` bigint NOT NULL,
  `kept_until` bigint NOT NULL DEFAULT '0',
  PRIMARY KEY (`id`),
  UNIQUE KEY `blobs_content` (`policy_id`,`sha256`,`retired`),
  UNIQUE KEY `blobs_object_key` (`object_key`),
  KEY `blobs_state` (`state`,`checked_at`),
  CONSTRAINT `blobs_policy` FOREIGN KEY (`policy_id`) REFERENCES `policies` (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `bulk_changes` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `at` bigint NOT NULL,
  `bulk` bigint NOT NULL,
  `actor` varchar(140) COLLATE utf8mb4_bin NOT NULL,
  `via` varchar(16) COLLATE utf8mb4_bin NOT NULL,
  `account_id` bigint DEFAULT NULL,
  `action` varchar(32) COLLATE utf8mb4_bin NOT NULL,
  `subject` varchar(300) COLLATE utf8mb4_bin NOT NULL,
  `before` mediumtext COLLATE utf8mb4_bin,
  `after` mediumtext COLLATE utf8mb4_bin,
  `links` bigint NOT NULL,
  `state` varchar(8) COLLATE utf8mb4_bin NOT NULL,
  `undo_place` bigint NOT NULL DEFAULT '0',
  `restored` bigint NOT NULL DEFAULT '0',
  `failed` bigint NOT NULL DEFAULT '0',
  `refusal` varchar(1000) COLLATE utf8mb4_bin DEFAULT NULL,
  `undone_at` bigint DEFAULT NULL,
  `undone_by` varchar(140) COLLATE utf8mb4_bin DEFAULT NULL,
  `undone_via` varchar(16) COLLATE utf8mb4_bin DEFAULT NULL,
  `undone_account` bigint DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `bulk_changes_bulk` (`at`,`bulk`),
  KEY `bulk_changes_account` (`account_id`,`at`,`bulk`),
  KEY `bulk_changes_state` (`state`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `certificates` (
  `host` varchar(253) COLLATE utf8mb4_bin NOT NULL,
  `pair` mediumtext COLLATE utf8mb4_bin,
  `renew_at` bigint DEFAULT NULL,
  `ask_at` bigint DEFAULT NULL,
  `order_url` varchar(2000) COLLATE utf8mb4_bin DEFAULT NULL,
  `order_key` mediumtext COLLATE utf8mb4_bin,
  `challenge` varchar(500) COLLATE utf8mb4_bin DEFAULT NULL,
  `failures` bigint NOT NULL DEFAULT '0',
  `failure` varchar(1000) COLLATE utf8mb4_bin DEFAULT NULL,
  `try_at` bigint NOT NULL DEFAULT '0',
  PRIMARY KEY (`host`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `changes` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `topic` varchar(32) COLLATE utf8mb4_bin NOT NULL,
  `payload` mediumtext COLLATE utf8mb4_bin NOT NULL,
  `origin` varchar(36) COLLATE utf8mb4_bin NOT NULL,
  `created_at` bigint NOT NULL,
  PRIMARY KEY (`id`),
  KEY `changes_created_at` (`created_at`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `click_day_changes` (
  `day` bigint NOT NULL,
  `changes` bigint NOT NULL,
  PRIMARY KEY (`day`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `click_days` (
  `day` bigint NOT NULL,
  `link_id` bigint NOT NULL,
  `clicks` bigint NOT NULL,
  `automated` bigint NOT NULL DEFAULT '0',
  PRIMARY KEY (`day`,`link_id`)
) /*!50100 TABLESPACE `innodb_file_per_table` */ ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin
/*!50100 PARTITION BY RANGE (`day`)
(PARTITION rest VALUES LESS THAN MAXVALUE ENGINE = InnoDB) */;

CREATE TABLE `click_dim_days` (
  `day` bigint NOT NULL,
  `link_id` bigint NOT NULL,
  `dimension` bigint NOT NULL,
  `value_id` bigint NOT NULL,
  `clicks` bigint NOT NULL,
  `automated` bigint NOT NULL DEFAULT '0',
  PRIMARY KEY (`day`,`link_id`,`dimension`,`value_id`)
) /*!50100 TABLESPACE `innodb_file_per_table` */ ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin
/*!50100 PARTITION BY RANGE (`day`)
(PARTITION rest VALUES LESS THAN MAXVALUE ENGINE = InnoDB) */;

CREATE TABLE `click_dim_hours` (
  `hour` bigint NOT NULL,
  `dimension` bigint NOT NULL,
  `value_id` bigint NOT NULL,
  `clicks` bigint NOT NULL,
  `automated` bigint NOT NULL DEFAULT '0',
  PRIMARY KEY (`hour`,`dimension`,`value_id`)
) /*!50100 TABLESPACE `innodb_file_per_table` */ ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin
/*!50100 PARTITION BY RANGE (`hour`)
(PARTITION rest VALUES LESS THAN MAXVALUE ENGINE = InnoDB) */;

CREATE TABLE `click_dim_months` (
  `month` bigint NOT NULL,
  `link_id` bigint NOT NULL,
  `dimension` bigint NOT NULL,
  `value_id` bigint NOT NULL,
  `clicks` bigint NOT NULL,
  `automated` bigint NOT NULL DEFAULT '0',
  PRIMARY KEY (`month`,`link_id`,`dimension`,`value_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `click_hours` (
  `hour` bigint NOT NULL,
  `link_id` bigint NOT NULL,
  `clicks` bigint NOT NULL,
  `automated` bigint NOT NULL DEFAULT '0',
  PRIMARY KEY (`hour`,`link_id`)
) /*!50100 TABLESPACE `innodb_file_per_table` */ ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin
/*!50100 PARTITION BY RANGE (`hour`)
(PARTITION rest VALUES LESS THAN MAXVALUE ENGINE = InnoDB) */;

CREATE TABLE `click_log` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `link_id` bigint NOT NULL,
  `clicked_at` bigint NOT NULL,
  `referrer` varchar(2048) COLLATE utf8mb4_bin DEFAULT NULL,
  `source` varchar(255) COLLATE utf8mb4_bin NOT NULL,
  `ip_address` varchar(45) COLLATE utf8mb4_bin DEFAULT NULL,
  `country` varchar(2) COLLATE utf8mb4_bin DEFAULT NULL,
  `city` varchar(200) COLLATE utf8mb4_bin DEFAULT NULL,
  `user_agent_id` bigint DEFAULT NULL,
  `automated` bigint NOT NULL DEFAULT '0',
  `referrer_host` varchar(255) COLLATE utf8mb4_bin DEFAULT NULL,
  `utm_source` varchar(255) COLLATE utf8mb4_bin DEFAULT NULL,
  `utm_medium` varchar(255) COLLATE utf8mb4_bin DEFAULT NULL,
  `utm_campaign` varchar(255) COLLATE utf8mb4_bin DEFAULT NULL,
  `utm_term` varchar(255) COLLATE utf8mb4_bin DEFAULT NULL,
  `utm_content` varchar(255) COLLATE utf8mb4_bin DEFAULT NULL,
  `language` varchar(35) COLLATE utf8mb4_bin DEFAULT NULL,
  `channel` varchar(16) COLLATE utf8mb4_bin DEFAULT NULL,
  `rule` varchar(3) COLLATE utf8mb4_bin DEFAULT NULL,
  PRIMARY KEY (`id`,`clicked_at`),
  KEY `click_log_clicked_at` (`clicked_at`,`link_id`)
) /*!50100 TABLESPACE `innodb_file_per_table` */ ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin
/*!50100 PARTITION BY RANGE (`clicked_at`)
(PARTITION rest VALUES LESS THAN MAXVALUE ENGINE = InnoDB) */;

CREATE TABLE `click_months` (
  `month` bigint NOT NULL,
  `link_id` bigint NOT NULL,
  `clicks` bigint NOT NULL,
  `automated` bigint NOT NULL DEFAULT '0',
  PRIMARY KEY (`month`,`link_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `click_set_days` (
  `set_id` bigint NOT NULL,
  `day` bigint NOT NULL,
  `changes` bigint NOT NULL,
  PRIMARY KEY (`set_id`,`day`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `click_set_values` (
  `set_id` bigint NOT NULL,
  `dimension` bigint NOT NULL,
  `day` bigint NOT NULL,
  `value_id` bigint NOT NULL,
  `clicks` bigint NOT NULL,
  `automated` bigint NOT NULL DEFAULT '0',
  PRIMARY KEY (`set_id`,`dimension`,`day`,`value_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `click_sets` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `links` varchar(43) COLLATE utf8mb4_bin NOT NULL,
  `used_day` bigint NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `click_sets_links` (`links`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `click_values` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `dimension` bigint NOT NULL,
  `value` varchar(255) COLLATE utf8mb4_bin NOT NULL,
  `seen_day` bigint NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `click_values_value` (`dimension`,`value`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `click_visitors` (
  `day` bigint NOT NULL,
  `link_id` bigint NOT NULL,
  `visitor` bigint NOT NULL,
  PRIMARY KEY (`day`,`link_id`,`visitor`)
) /*!50100 TABLESPACE `innodb_file_per_table` */ ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin
/*!50100 PARTITION BY RANGE (`day`)
(PARTITION rest VALUES LESS THAN MAXVALUE ENGINE = InnoDB) */;

CREATE TABLE `click_zones` (
  `id` bigint NOT NULL,
  `zones` varchar(4000) COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `copies` (
  `entry_id` bigint NOT NULL,
  `account_id` bigint NOT NULL,
  `parent_id` bigint NOT NULL,
  `name` varchar(255) COLLATE utf8mb4_bin NOT NULL,
  `bytes` bigint NOT NULL,
  `level` bigint NOT NULL,
  `source_id` bigint NOT NULL,
  `last_id` bigint NOT NULL,
  PRIMARY KEY (`entry_id`),
  KEY `copies_account_id` (`account_id`),
  CONSTRAINT `copies_entry` FOREIGN KEY (`entry_id`) REFERENCES `entries` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `copy_items` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `entry_id` bigint NOT NULL,
  `level` bigint NOT NULL,
  `source_id` bigint NOT NULL,
  `parent_id` bigint NOT NULL,
  `kind` varchar(8) COLLATE utf8mb4_bin NOT NULL,
  `name` varchar(255) COLLATE utf8mb4_bin NOT NULL,
  `size` bigint NOT NULL,
  `copy_id` bigint DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `copy_items_source` (`entry_id`,`level`,`source_id`),
  CONSTRAINT `copy_items_entry` FOREIGN KEY (`entry_id`) REFERENCES `entries` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `dav_locks` (
  `id` bigint NOT NULL,
  `content` mediumtext COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `dav_properties` (
  `id` bigint NOT NULL,
  `content` mediumtext COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `dav_properties_entry` FOREIGN KEY (`id`) REFERENCES `entries` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `deleted_links` (
  `link_id` bigint NOT NULL,
  `code` varchar(140) COLLATE utf8mb4_bin NOT NULL,
  `deleted_at` bigint NOT NULL,
  `deleted_by` varchar(140) COLLATE utf8mb4_bin DEFAULT NULL,
  `content` mediumtext COLLATE utf8mb4_bin,
  `owner_id` bigint DEFAULT NULL,
  `clicks` bigint NOT NULL DEFAULT '0',
  `automated` bigint NOT NULL DEFAULT '0',
  PRIMARY KEY (`link_id`),
  KEY `deleted_links_deleted_at` (`deleted_at`,`link_id`),
  KEY `deleted_links_owner` (`owner_id`,`deleted_at`,`link_id`),
  KEY `deleted_links_code` (`code`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `detail_drops` (
  `day` bigint NOT NULL,
  `reason` varchar(16) COLLATE utf8mb4_bin NOT NULL,
  `clicks` bigint NOT NULL,
  PRIMARY KEY (`day`,`reason`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `domain_documents` (
  `domain_id` bigint NOT NULL,
  `name` varchar(100) COLLATE utf8mb4_bin NOT NULL,
  `type` varchar(100) COLLATE utf8mb4_bin NOT NULL,
  `size` bigint NOT NULL,
  `sha256` varchar(64) COLLATE utf8mb4_bin NOT NULL,
  `text` mediumtext COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`domain_id`,`name`),
  CONSTRAINT `domain_documents_domain` FOREIGN KEY (`domain_id`) REFERENCES `domains` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `domains` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `host` varchar(253) COLLATE utf8mb4_bin NOT NULL,
  `default_url` mediumtext COLLATE utf8mb4_bin,
  `not_found_url` mediumtext COLLATE utf8mb4_bin,
  `expired_url` mediumtext COLLATE utf8mb4_bin,
  `created_at` bigint NOT NULL,
  `updated_at` bigint NOT NULL,
  `owner_id` bigint DEFAULT NULL,
  `ignore_case` bigint NOT NULL DEFAULT '0',
  PRIMARY KEY (`id`),
  UNIQUE KEY `domains_host` (`host`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `drop_files` (
  `entry_id` bigint NOT NULL,
  `link_id` bigint NOT NULL,
  `sender` varchar(64) COLLATE utf8mb4_bin NOT NULL,
  `sender_name` varchar(100) COLLATE utf8mb4_bin DEFAULT NULL,
  `name` varchar(255) COLLATE utf8mb4_bin NOT NULL,
  `created_at` bigint NOT NULL,
  `sender_email` varchar(254) COLLATE utf8mb4_bin DEFAULT NULL,
  `path` mediumtext COLLATE utf8mb4_bin,
  PRIMARY KEY (`entry_id`),
  KEY `drop_files_link_id` (`link_id`,`sender`,`entry_id`),
  CONSTRAINT `drop_files_entry` FOREIGN KEY (`entry_id`) REFERENCES `entries` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `drop_senders` (
  `link_id` bigint NOT NULL,
  `sender` varchar(64) COLLATE utf8mb4_bin NOT NULL,
  `folder_id` bigint NOT NULL,
  PRIMARY KEY (`link_id`,`sender`),
  KEY `drop_senders_folder_id` (`folder_id`),
  CONSTRAINT `drop_senders_folder` FOREIGN KEY (`folder_id`) REFERENCES `entries` (`id`) ON DELETE CASCADE,
  CONSTRAINT `drop_senders_link` FOREIGN KEY (`link_id`) REFERENCES `links` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `entries` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `account_id` bigint NOT NULL,
  `parent_id` bigint NOT NULL,
  `kind` varchar(8) COLLATE utf8mb4_bin NOT NULL,
  `name` varchar(255) COLLATE utf8mb4_bin NOT NULL,
  `policy_id` bigint DEFAULT NULL,
  `blob_id` bigint DEFAULT NULL,
  `mime_type` varchar(255) COLLATE utf8mb4_bin DEFAULT NULL,
  `sha256` varchar(64) COLLATE utf8mb4_bin DEFAULT NULL,
  `size` bigint NOT NULL,
  `modified_at` bigint DEFAULT NULL,
  `versions_bytes` bigint NOT NULL DEFAULT '0',
  `created_by` varchar(128) COLLATE utf8mb4_bin DEFAULT NULL,
  `disk_time` bigint DEFAULT NULL,
  `disk_name` varchar(512) COLLATE utf8mb4_bin DEFAULT NULL,
  `created_at` bigint NOT NULL,
  `updated_at` bigint NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `entries_name` (`account_id`,`parent_id`,`name`),
  KEY `entries_kind` (`account_id`,`parent_id`,`kind`,`name`),
  KEY `entries_policy_id` (`policy_id`),
  KEY `entries_blob_id` (`blob_id`),
  CONSTRAINT `entries_blob` FOREIGN KEY (`blob_id`) REFERENCES `blobs` (`id`),
  CONSTRAINT `entries_policy` FOREIGN KEY (`policy_id`) REFERENCES `policies` (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `events` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `at` bigint NOT NULL,
  `actor` varchar(140) COLLATE utf8mb4_bin NOT NULL,
  `via` varchar(16) COLLATE utf8mb4_bin NOT NULL,
  `action` varchar(32) COLLATE utf8mb4_bin NOT NULL,
  `subject` varchar(300) COLLATE utf8mb4_bin NOT NULL,
  `subject_id` bigint DEFAULT NULL,
  `before` mediumtext COLLATE utf8mb4_bin,
  `after` mediumtext COLLATE utf8mb4_bin,
  `bulk` bigint DEFAULT NULL,
  `untold` bigint DEFAULT NULL,
  `tool` varchar(40) COLLATE utf8mb4_bin DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `events_at` (`at`,`id`),
  KEY `events_action` (`action`,`at`,`id`),
  KEY `events_actor` (`actor`,`at`,`id`),
  KEY `events_subject` (`subject`,`at`,`id`),
  KEY `events_subject_id` (`subject_id`,`at`,`id`),
  KEY `events_untold` (`untold`,`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `file_versions` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `entry_id` bigint NOT NULL,
  `blob_id` bigint NOT NULL,
  `mime_type` varchar(255) COLLATE utf8mb4_bin NOT NULL,
  `sha256` varchar(64) COLLATE utf8mb4_bin NOT NULL,
  `size` bigint NOT NULL,
  `modified_at` bigint NOT NULL,
  `created_at` bigint NOT NULL,
  `created_by` varchar(128) COLLATE utf8mb4_bin DEFAULT NULL,
  `replaced_at` bigint NOT NULL,
  PRIMARY KEY (`id`),
  KEY `file_versions_of_entry` (`entry_id`,`id`),
  KEY `file_versions_blob_id` (`blob_id`),
  KEY `file_versions_replaced_at` (`replaced_at`,`id`),
  CONSTRAINT `file_versions_blob` FOREIGN KEY (`blob_id`) REFERENCES `blobs` (`id`),
  CONSTRAINT `file_versions_entry` FOREIGN KEY (`entry_id`) REFERENCES `entries` (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `import_clicks` (
  `import_id` bigint NOT NULL,
  `link_id` bigint NOT NULL,
  `unit` bigint NOT NULL,
  `bucket` bigint NOT NULL,
  `dimension` bigint NOT NULL,
  `value_id` bigint NOT NULL,
  `clicks` bigint NOT NULL,
  `automated` bigint NOT NULL DEFAULT '0',
  PRIMARY KEY (`import_id`,`link_id`,`unit`,`bucket`,`dimension`,`value_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `import_entries` (
  `import_id` bigint NOT NULL,
  `entry_id` bigint NOT NULL,
  `parent_id` bigint NOT NULL,
  `made_at` bigint NOT NULL,
  PRIMARY KEY (`import_id`,`entry_id`),
  KEY `import_entries_parent` (`import_id`,`parent_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `import_links` (
  `import_id` bigint NOT NULL,
  `source_key` varchar(32) COLLATE utf8mb4_bin NOT NULL,
  `link_id` bigint NOT NULL,
  `made_at` bigint NOT NULL,
  `total` bigint NOT NULL DEFAULT '0',
  `dated` bigint NOT NULL DEFAULT '0',
  `automated` bigint NOT NULL DEFAULT '0',
  `removed` bigint NOT NULL DEFAULT '0',
  PRIMARY KEY (`import_id`,`source_key`),
  KEY `import_links_link` (`import_id`,`removed`,`link_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `import_notes` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `import_id` bigint NOT NULL,
  `place` bigint NOT NULL,
  `kind` varchar(16) COLLATE utf8mb4_bin NOT NULL,
  `code` varchar(200) COLLATE utf8mb4_bin NOT NULL,
  `reason` varchar(1000) COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`id`),
  KEY `import_notes_kind` (`import_id`,`kind`,`id`),
  KEY `import_notes_import` (`import_id`,`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `imports` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `product` varchar(16) COLLATE utf8mb4_bin NOT NULL,
  `source` varchar(1000) COLLATE utf8mb4_bin NOT NULL,
  `file` varchar(64) COLLATE utf8mb4_bin DEFAULT NULL,
  `secret` varchar(2000) COLLATE utf8mb4_bin DEFAULT NULL,
  `state` varchar(16) COLLATE utf8mb4_bin NOT NULL,
  `created_at` bigint NOT NULL,
  `created_by` varchar(140) COLLATE utf8mb4_bin NOT NULL,
  `updated_at` bigint NOT NULL,
  `options` mediumtext COLLATE utf8mb4_bin NOT NULL,
  `report` mediumtext COLLATE utf8mb4_bin NOT NULL,
  `link_place` bigint NOT NULL DEFAULT '0',
  `visit_place` bigint NOT NULL DEFAULT '0',
  `event_id` bigint DEFAULT NULL,
  `file_place` bigint NOT NULL DEFAULT '0',
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `instance` (
  `id` bigint NOT NULL,
  `uuid` varchar(36) COLLATE utf8mb4_bin NOT NULL,
  `created_at` bigint NOT NULL,
  `key_fingerprint` varchar(64) COLLATE utf8mb4_bin DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `journals` (
  `id` varchar(36) COLLATE utf8mb4_bin NOT NULL,
  `position` bigint NOT NULL,
  `updated_at` bigint NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `leases` (
  `name` varchar(64) COLLATE utf8mb4_bin NOT NULL,
  `owner` varchar(128) COLLATE utf8mb4_bin NOT NULL,
  `expires_at` bigint NOT NULL,
  PRIMARY KEY (`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `link_aliases` (
  `code` varchar(140) COLLATE utf8mb4_bin NOT NULL,
  `link_id` bigint NOT NULL,
  `created_at` bigint NOT NULL,
  PRIMARY KEY (`code`),
  KEY `link_aliases_link_id` (`link_id`),
  CONSTRAINT `link_aliases_link` FOREIGN KEY (`link_id`) REFERENCES `links` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `link_clicks` (
  `link_id` bigint NOT NULL,
  `clicks` bigint NOT NULL,
  `ranked` bigint NOT NULL DEFAULT '0',
  `automated` bigint NOT NULL DEFAULT '0',
  `ranked_human` bigint NOT NULL DEFAULT '0',
  PRIMARY KEY (`link_id`),
  KEY `link_clicks_ranked` (`ranked`,`link_id`),
  KEY `link_clicks_ranked_human` (`ranked_human`,`link_id`),
  CONSTRAINT `link_clicks_link` FOREIGN KEY (`link_id`) REFERENCES `links` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `link_downloads` (
  `link_id` bigint NOT NULL,
  `downloads` bigint NOT NULL,
  PRIMARY KEY (`link_id`),
  CONSTRAINT `link_downloads_link` FOREIGN KEY (`link_id`) REFERENCES `links` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `link_reports` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `link_id` bigint NOT NULL,
  `at` bigint NOT NULL,
  `reason` varchar(16) COLLATE utf8mb4_bin NOT NULL,
  `details` varchar(1000) COLLATE utf8mb4_bin DEFAULT NULL,
  `resolved_at` bigint DEFAULT NULL,
  `resolved_by` varchar(128) COLLATE utf8mb4_bin DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `link_reports_link` (`link_id`),
  KEY `link_reports_open` (`resolved_at`,`id`),
  CONSTRAINT `link_reports_link` FOREIGN KEY (`link_id`) REFERENCES `links` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `link_tags` (
  `tag_id` bigint NOT NULL,
  `link_id` bigint NOT NULL,
  PRIMARY KEY (`tag_id`,`link_id`),
  KEY `link_tags_link_id` (`link_id`),
  CONSTRAINT `link_tags_link` FOREIGN KEY (`link_id`) REFERENCES `links` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `link_totals` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `links` bigint NOT NULL,
  `clicks` bigint NOT NULL DEFAULT '0',
  `automated` bigint NOT NULL DEFAULT '0',
  `imported` bigint NOT NULL DEFAULT '0',
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `link_uses` (
  `link_id` bigint NOT NULL,
  `uses` bigint NOT NULL,
  PRIMARY KEY (`link_id`),
  CONSTRAINT `link_uses_link` FOREIGN KEY (`link_id`) REFERENCES `links` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `linked_folders` (
  `entry_id` bigint NOT NULL,
  `inode` varchar(32) COLLATE utf8mb4_bin DEFAULT NULL,
  `scanned_at` bigint NOT NULL,
  `files` bigint NOT NULL,
  `trouble` varchar(1000) COLLATE utf8mb4_bin DEFAULT NULL,
  PRIMARY KEY (`entry_id`),
  CONSTRAINT `linked_folders_entry` FOREIGN KEY (`entry_id`) REFERENCES `entries` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `links` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `code` varchar(140) COLLATE utf8mb4_bin NOT NULL,
  `target` mediumtext COLLATE utf8mb4_bin NOT NULL,
  `created_at` bigint NOT NULL,
  `updated_at` bigint NOT NULL,
  `expires_at` bigint DEFAULT NULL,
  `password_hash` varchar(255) COLLATE utf8mb4_bin DEFAULT NULL,
  `title` varchar(200) COLLATE utf8mb4_bin DEFAULT NULL,
  `note` mediumtext COLLATE utf8mb4_bin,
  `owner_id` bigint DEFAULT NULL,
  `created_by` varchar(128) COLLATE utf8mb4_bin DEFAULT NULL,
  `options` mediumtext COLLATE utf8mb4_bin,
  `held` varchar(16) COLLATE utf8mb4_bin DEFAULT NULL,
  `dead_since` bigint DEFAULT NULL,
  `target_hash` bigint DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `links_code` (`code`),
  KEY `links_created_at` (`created_at` DESC,`code`,`expires_at`),
  KEY `links_expires_at` (`expires_at`,`id`),
  KEY `links_owner` (`owner_id`,`created_at` DESC,`code`),
  KEY `links_held` (`held`,`created_at`),
  KEY `links_dead_since` (`dead_since`),
  KEY `links_target` (`target_hash`,`owner_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `login_failures` (
  `account` varchar(128) COLLATE utf8mb4_bin NOT NULL,
  `failures` bigint NOT NULL,
  `retry_at` bigint NOT NULL,
  `updated_at` bigint NOT NULL,
  PRIMARY KEY (`account`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `mails` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `kind` varchar(32) COLLATE utf8mb4_bin NOT NULL,
  `account_id` bigint DEFAULT NULL,
  `recipient` varchar(254) COLLATE utf8mb4_bin NOT NULL,
  `language` varchar(8) COLLATE utf8mb4_bin NOT NULL,
  `content` mediumtext COLLATE utf8mb4_bin NOT NULL,
  `state` varchar(16) COLLATE utf8mb4_bin NOT NULL,
  `due_at` bigint NOT NULL,
  `attempts` bigint NOT NULL,
  `tried_at` bigint DEFAULT NULL,
  `is_server_trouble` bigint NOT NULL,
  `was_interrupted` bigint NOT NULL,
  `error` varchar(500) COLLATE utf8mb4_bin DEFAULT NULL,
  `created_at` bigint NOT NULL,
  `sent_at` bigint DEFAULT NULL,
  `useful_until` bigint DEFAULT NULL,
  `once_key` varchar(150) COLLATE utf8mb4_bin DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `mails_once` (`once_key`),
  KEY `mails_due` (`state`,`due_at`,`id`),
  KEY `mails_created` (`created_at`,`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `missing_codes` (
  `day` bigint NOT NULL,
  `code` varchar(140) COLLATE utf8mb4_bin NOT NULL,
  `human` bigint NOT NULL DEFAULT '0',
  `automated` bigint NOT NULL DEFAULT '0',
  `seen_at` bigint NOT NULL,
  PRIMARY KEY (`day`,`code`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `oidc_sessions` (
  `session_id` varchar(36) COLLATE utf8mb4_bin NOT NULL,
  `id_token` mediumtext COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`session_id`),
  CONSTRAINT `oidc_sessions_session` FOREIGN KEY (`session_id`) REFERENCES `sessions` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `owner_tags` (
  `owner_id` bigint NOT NULL,
  `tag_id` bigint NOT NULL,
  `links` bigint NOT NULL,
  PRIMARY KEY (`owner_id`,`tag_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `passkeys` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `account_id` bigint NOT NULL,
  `name` varchar(64) COLLATE utf8mb4_bin NOT NULL,
  `credential_hash` varchar(64) COLLATE utf8mb4_bin NOT NULL,
  `credential_id` mediumtext COLLATE utf8mb4_bin NOT NULL,
  `public_key` mediumtext COLLATE utf8mb4_bin NOT NULL,
  `counter` bigint NOT NULL,
  `transports` varchar(128) COLLATE utf8mb4_bin NOT NULL,
  `backed_up` bigint NOT NULL,
  `created_at` bigint NOT NULL,
  `last_used_at` bigint DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `passkeys_credential` (`credential_hash`),
  KEY `passkeys_account` (`account_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `policies` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `name` varchar(255) COLLATE utf8mb4_bin NOT NULL,
  `driver_type` varchar(16) COLLATE utf8mb4_bin NOT NULL,
  `endpoint` varchar(1024) COLLATE utf8mb4_bin DEFAULT NULL,
  `bucket` varchar(255) COLLATE utf8mb4_bin DEFAULT NULL,
  `region` varchar(64) COLLATE utf8mb4_bin DEFAULT NULL,
  `access_key` varchar(1024) COLLATE utf8mb4_bin DEFAULT NULL,
  `secret_key` varchar(1024) COLLATE utf8mb4_bin DEFAULT NULL,
  `base_path` varchar(1024) COLLATE utf8mb4_bin NOT NULL,
  `max_file_size` bigint NOT NULL,
  `download` varchar(16) COLLATE utf8mb4_bin NOT NULL,
  `is_default` bigint DEFAULT NULL,
  `read_only` bigint DEFAULT NULL,
  `rescan_minutes` bigint DEFAULT NULL,
  `created_at` bigint NOT NULL,
  `updated_at` bigint NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `policies_name` (`name`),
  UNIQUE KEY `policies_default` (`is_default`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `presets` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `kind` varchar(8) COLLATE utf8mb4_bin NOT NULL,
  `owner_id` bigint NOT NULL,
  `name` varchar(64) COLLATE utf8mb4_bin NOT NULL,
  `content` mediumtext COLLATE utf8mb4_bin NOT NULL,
  `created_at` bigint NOT NULL,
  `created_by` varchar(128) COLLATE utf8mb4_bin DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `presets_name` (`owner_id`,`kind`,`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `recovery_codes` (
  `account_id` bigint NOT NULL,
  `hash` varchar(64) COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`account_id`,`hash`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `repeats` (
  `id` varchar(64) COLLATE utf8mb4_bin NOT NULL,
  `account_id` bigint NOT NULL,
  `fingerprint` varchar(64) COLLATE utf8mb4_bin NOT NULL,
  `claim` varchar(36) COLLATE utf8mb4_bin NOT NULL,
  `state` varchar(8) COLLATE utf8mb4_bin NOT NULL,
  `claimed_until` bigint NOT NULL,
  `expires_at` bigint NOT NULL,
  `size` bigint NOT NULL,
  `answer` mediumtext COLLATE utf8mb4_bin,
  PRIMARY KEY (`id`),
  KEY `repeats_account` (`account_id`,`expires_at`,`size`),
  KEY `repeats_expiry` (`expires_at`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `report_mails` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `link_id` bigint NOT NULL,
  `every` varchar(8) COLLATE utf8mb4_bin NOT NULL,
  `minute` bigint NOT NULL,
  `next_at` bigint NOT NULL,
  `last_at` bigint DEFAULT NULL,
  `created_by` varchar(128) COLLATE utf8mb4_bin DEFAULT NULL,
  `created_at` bigint NOT NULL,
  PRIMARY KEY (`id`),
  KEY `report_mails_link_id` (`link_id`,`id`),
  KEY `report_mails_next_at` (`next_at`,`id`),
  CONSTRAINT `report_mails_link` FOREIGN KEY (`link_id`) REFERENCES `links` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `report_pages` (
  `link_id` bigint NOT NULL,
  `filter` mediumtext COLLATE utf8mb4_bin NOT NULL,
  `days` bigint DEFAULT NULL,
  `first_day` varchar(10) COLLATE utf8mb4_bin DEFAULT NULL,
  `last_day` varchar(10) COLLATE utf8mb4_bin DEFAULT NULL,
  PRIMARY KEY (`link_id`),
  CONSTRAINT `report_pages_link` FOREIGN KEY (`link_id`) REFERENCES `links` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `report_readers` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `mail_id` bigint NOT NULL,
  `email` varchar(254) COLLATE utf8mb4_bin NOT NULL,
  `language` varchar(8) COLLATE utf8mb4_bin NOT NULL,
  `state` varchar(8) COLLATE utf8mb4_bin NOT NULL,
  `token` varchar(43) COLLATE utf8mb4_bin NOT NULL,
  `changed_at` bigint NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `report_readers_email` (`mail_id`,`email`),
  UNIQUE KEY `report_readers_token` (`token`),
  KEY `report_readers_of` (`email`,`state`),
  CONSTRAINT `report_readers_mail` FOREIGN KEY (`mail_id`) REFERENCES `report_mails` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `reuse_turns` (
  `id` bigint NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `sessions` (
  `id` varchar(36) COLLATE utf8mb4_bin NOT NULL,
  `user_id` bigint NOT NULL,
  `created_at` bigint NOT NULL,
  `expires_at` bigint NOT NULL,
  `refresh_jti` varchar(64) COLLATE utf8mb4_bin NOT NULL,
  `previous_jti` varchar(64) COLLATE utf8mb4_bin DEFAULT NULL,
  `rotated_at` bigint DEFAULT NULL,
  `revoked_at` bigint DEFAULT NULL,
  `address` varchar(64) COLLATE utf8mb4_bin DEFAULT NULL,
  `browser` varchar(64) COLLATE utf8mb4_bin DEFAULT NULL,
  `os` varchar(64) COLLATE utf8mb4_bin DEFAULT NULL,
  `signed_in_by` varchar(16) COLLATE utf8mb4_bin DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `sessions_user_id` (`user_id`),
  KEY `sessions_expires_at` (`expires_at`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `settings` (
  `key` varchar(128) COLLATE utf8mb4_bin NOT NULL,
  `value` mediumtext COLLATE utf8mb4_bin NOT NULL,
  `updated_at` bigint NOT NULL,
  `updated_by` varchar(128) COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`key`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `settings_history` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `key` varchar(128) COLLATE utf8mb4_bin NOT NULL,
  `old_value` mediumtext COLLATE utf8mb4_bin,
  `new_value` mediumtext COLLATE utf8mb4_bin,
  `changed_at` bigint NOT NULL,
  `changed_by` varchar(128) COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`id`),
  KEY `settings_history_key` (`key`,`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `share_items` (
  `link_id` bigint NOT NULL,
  `entry_id` bigint NOT NULL,
  PRIMARY KEY (`link_id`,`entry_id`),
  KEY `share_items_entry_id` (`entry_id`),
  CONSTRAINT `share_items_entry` FOREIGN KEY (`entry_id`) REFERENCES `entries` (`id`) ON DELETE CASCADE,
  CONSTRAINT `share_items_link` FOREIGN KEY (`link_id`) REFERENCES `links` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `share_recipients` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `link_id` bigint NOT NULL,
  `email` varchar(254) COLLATE utf8mb4_bin NOT NULL,
  `code_hash` varchar(64) COLLATE utf8mb4_bin DEFAULT NULL,
  `code_until` bigint NOT NULL,
  `code_tries` bigint NOT NULL,
  `codes_full_at` bigint NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `share_recipients_email` (`link_id`,`email`),
  CONSTRAINT `share_recipients_link` FOREIGN KEY (`link_id`) REFERENCES `links` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `share_visits` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `link_id` bigint NOT NULL,
  `email` varchar(254) COLLATE utf8mb4_bin DEFAULT NULL,
  `action` varchar(16) COLLATE utf8mb4_bin NOT NULL,
  `name` varchar(255) COLLATE utf8mb4_bin DEFAULT NULL,
  `at` bigint NOT NULL,
  `browser` varchar(64) COLLATE utf8mb4_bin DEFAULT NULL,
  `os` varchar(64) COLLATE utf8mb4_bin DEFAULT NULL,
  `automated` bigint NOT NULL DEFAULT '0',
  PRIMARY KEY (`id`),
  KEY `share_visits_of_link` (`link_id`,`id`),
  CONSTRAINT `share_visits_link` FOREIGN KEY (`link_id`) REFERENCES `links` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `shares` (
  `link_id` bigint NOT NULL,
  `entry_id` bigint NOT NULL,
  `max_downloads` bigint DEFAULT NULL,
  `downloads` bigint NOT NULL,
  `created_at` bigint NOT NULL,
  `max_bytes` bigint DEFAULT NULL,
  `max_files` bigint DEFAULT NULL,
  `max_file_size` bigint DEFAULT NULL,
  `bytes` bigint NOT NULL DEFAULT '0',
  `files` bigint NOT NULL DEFAULT '0',
  `account_id` bigint NOT NULL DEFAULT '0',
  `message` varchar(2000) COLLATE utf8mb4_bin DEFAULT NULL,
  `verify` bigint NOT NULL DEFAULT '0',
  `two_way` bigint NOT NULL DEFAULT '0',
  `several` bigint NOT NULL DEFAULT '0',
  `requires` varchar(8) COLLATE utf8mb4_bin DEFAULT NULL,
  `sender_folders` bigint NOT NULL DEFAULT '0',
  `types` varchar(2200) COLLATE utf8mb4_bin DEFAULT NULL,
  PRIMARY KEY (`link_id`),
  KEY `shares_entry_id` (`entry_id`),
  KEY `shares_account` (`account_id`,`link_id`),
  CONSTRAINT `shares_entry` FOREIGN KEY (`entry_id`) REFERENCES `entries` (`id`),
  CONSTRAINT `shares_link` FOREIGN KEY (`link_id`) REFERENCES `links` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `staged_counts` (
  `policy_id` bigint NOT NULL,
  `objects` bigint NOT NULL,
  `bytes` bigint NOT NULL,
  `abandoned_objects` bigint NOT NULL,
  `abandoned_bytes` bigint NOT NULL,
  `counted_at` bigint NOT NULL,
  PRIMARY KEY (`policy_id`),
  CONSTRAINT `staged_counts_policy` FOREIGN KEY (`policy_id`) REFERENCES `policies` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `storage_move_failures` (
  `blob_id` bigint NOT NULL,
  `policy_id` bigint NOT NULL,
  `reason` varchar(1000) COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`blob_id`),
  KEY `storage_move_failures_policy_id` (`policy_id`),
  CONSTRAINT `storage_move_failures_blob` FOREIGN KEY (`blob_id`) REFERENCES `blobs` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `storage_moves` (
  `policy_id` bigint NOT NULL,
  `to_id` bigint NOT NULL,
  `state` varchar(16) COLLATE utf8mb4_bin NOT NULL,
  `rate` bigint NOT NULL,
  `objects_done` bigint NOT NULL,
  `bytes_done` bigint NOT NULL,
  `begun_at` bigint NOT NULL,
  `begun_objects` bigint NOT NULL,
  `begun_bytes` bigint NOT NULL,
  `trouble` varchar(1000) COLLATE utf8mb4_bin DEFAULT NULL,
  PRIMARY KEY (`policy_id`),
  KEY `storage_moves_to_id` (`to_id`),
  CONSTRAINT `storage_moves_policy` FOREIGN KEY (`policy_id`) REFERENCES `policies` (`id`) ON DELETE CASCADE,
  CONSTRAINT `storage_moves_to` FOREIGN KEY (`to_id`) REFERENCES `policies` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `tags` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `tag` varchar(64) COLLATE utf8mb4_bin NOT NULL,
  `links` bigint NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `tags_tag` (`tag`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `target_checks` (
  `link_id` bigint NOT NULL,
  `failures` bigint NOT NULL,
  `failed_since` bigint NOT NULL,
  `checked_at` bigint NOT NULL,
  `problem` varchar(200) COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`link_id`),
  CONSTRAINT `target_checks_link` FOREIGN KEY (`link_id`) REFERENCES `links` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `target_rounds` (
  `id` bigint NOT NULL,
  `started_at` bigint NOT NULL,
  `link_id` bigint NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `team_members` (
  `team_id` bigint NOT NULL,
  `account_id` bigint NOT NULL,
  `role` varchar(16) COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`team_id`,`account_id`),
  KEY `team_members_account` (`account_id`,`team_id`),
  CONSTRAINT `team_members_team` FOREIGN KEY (`team_id`) REFERENCES `teams` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `teams` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `name` varchar(64) COLLATE utf8mb4_bin NOT NULL,
  `created_at` bigint NOT NULL,
  `updated_at` bigint NOT NULL,
  `quota_bytes` bigint NOT NULL DEFAULT '0',
  PRIMARY KEY (`id`),
  UNIQUE KEY `teams_name` (`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `title_fetches` (
  `link_id` bigint NOT NULL,
  PRIMARY KEY (`link_id`),
  CONSTRAINT `title_fetches_link` FOREIGN KEY (`link_id`) REFERENCES `links` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `tokens` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `user_id` bigint NOT NULL,
  `name` varchar(64) COLLATE utf8mb4_bin NOT NULL,
  `hash` varchar(64) COLLATE utf8mb4_bin NOT NULL,
  `scopes` varchar(255) COLLATE utf8mb4_bin NOT NULL,
  `created_at` bigint NOT NULL,
  `expires_at` bigint DEFAULT NULL,
  `last_used_at` bigint DEFAULT NULL,
  `folder_id` bigint DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `tokens_hash` (`hash`),
  UNIQUE KEY `tokens_name` (`user_id`,`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `transfers` (
  `entry_id` bigint NOT NULL,
  `from_id` bigint NOT NULL,
  `to_id` bigint NOT NULL,
  `parent_id` bigint NOT NULL,
  `name` varchar(255) COLLATE utf8mb4_bin NOT NULL,
  `is_whole` bigint NOT NULL,
  `bytes` bigint NOT NULL,
  PRIMARY KEY (`entry_id`),
  KEY `transfers_from` (`from_id`),
  CONSTRAINT `transfers_entry` FOREIGN KEY (`entry_id`) REFERENCES `entries` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `trash` (
  `entry_id` bigint NOT NULL,
  `account_id` bigint NOT NULL,
  `parent_id` bigint NOT NULL,
  `name` varchar(255) COLLATE utf8mb4_bin NOT NULL,
  `trashed_at` bigint NOT NULL,
  PRIMARY KEY (`entry_id`),
  KEY `trash_account` (`account_id`,`trashed_at`,`entry_id`),
  KEY `trash_trashed_at` (`trashed_at`,`entry_id`),
  CONSTRAINT `trash_entry` FOREIGN KEY (`entry_id`) REFERENCES `entries` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `uploads` (
  `id` varchar(36) COLLATE utf8mb4_bin NOT NULL,
  `account_id` bigint NOT NULL,
  `folder_id` bigint NOT NULL,
  `name` varchar(255) COLLATE utf8mb4_bin NOT NULL,
  `mime_type` varchar(255) COLLATE utf8mb4_bin NOT NULL,
  `metadata` mediumtext COLLATE utf8mb4_bin NOT NULL,
  `size` bigint DEFAULT NULL,
  `received` bigint NOT NULL,
  `policy_id` bigint NOT NULL,
  `modified_at` bigint DEFAULT NULL,
  `created_at` bigint NOT NULL,
  `expires_at` bigint NOT NULL,
  `drop_link_id` bigint DEFAULT NULL,
  `sender` varchar(64) COLLATE utf8mb4_bin DEFAULT NULL,
  `sender_name` varchar(100) COLLATE utf8mb4_bin DEFAULT NULL,
  `sender_address` varchar(64) COLLATE utf8mb4_bin DEFAULT NULL,
  `sender_email` varchar(254) COLLATE utf8mb4_bin DEFAULT NULL,
  `path` mediumtext COLLATE utf8mb4_bin,
  PRIMARY KEY (`id`),
  KEY `uploads_expires_at` (`expires_at`),
  KEY `uploads_policy_id` (`policy_id`),
  KEY `uploads_account_id` (`account_id`),
  CONSTRAINT `uploads_policy` FOREIGN KEY (`policy_id`) REFERENCES `policies` (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `user_agents` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `hash` varchar(32) COLLATE utf8mb4_bin NOT NULL,
  `text` varchar(1024) COLLATE utf8mb4_bin NOT NULL,
  `value_id` bigint NOT NULL,
  `seen_day` bigint NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `user_agents_hash` (`hash`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `users` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `username` varchar(64) COLLATE utf8mb4_bin NOT NULL,
  `password_hash` varchar(255) COLLATE utf8mb4_bin NOT NULL,
  `role` varchar(16) COLLATE utf8mb4_bin NOT NULL,
  `disabled` bigint NOT NULL,
  `created_at` bigint NOT NULL,
  `updated_at` bigint NOT NULL,
  `quota_bytes` bigint NOT NULL DEFAULT '0',
  PRIMARY KEY (`id`),
  UNIQUE KEY `users_username` (`username`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `visitor_days` (
  `day` bigint NOT NULL,
  `link_id` bigint NOT NULL,
  `visitors` bigint NOT NULL,
  `automated` bigint NOT NULL DEFAULT '0',
  PRIMARY KEY (`day`,`link_id`)
) /*!50100 TABLESPACE `innodb_file_per_table` */ ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin
/*!50100 PARTITION BY RANGE (`day`)
(PARTITION rest VALUES LESS THAN MAXVALUE ENGINE = InnoDB) */;

CREATE TABLE `visitor_salts` (
  `day` bigint NOT NULL,
  `salt` varchar(200) COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`day`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `webhook_deliveries` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `webhook_id` bigint NOT NULL,
  `event_id` bigint DEFAULT NULL,
  `event` varchar(32) COLLATE utf8mb4_bin NOT NULL,
  `state` varchar(16) COLLATE utf8mb4_bin NOT NULL,
  `due_at` bigint NOT NULL,
  `attempts` bigint NOT NULL,
  `tried_at` bigint DEFAULT NULL,
  `tries` mediumtext COLLATE utf8mb4_bin NOT NULL,
  `created_at` bigint NOT NULL,
  `delivered_at` bigint DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `webhook_deliveries_event` (`webhook_id`,`event_id`),
  KEY `webhook_deliveries_due` (`webhook_id`,`state`,`due_at`,`id`),
  KEY `webhook_deliveries_newest` (`webhook_id`,`id`),
  KEY `webhook_deliveries_created` (`created_at`,`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `webhooks` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `url` varchar(2000) COLLATE utf8mb4_bin NOT NULL,
  `events` varchar(1000) COLLATE utf8mb4_bin NOT NULL,
  `secret` varchar(300) COLLATE utf8mb4_bin NOT NULL,
  `previous_secret` varchar(300) COLLATE utf8mb4_bin DEFAULT NULL,
  `previous_until` bigint DEFAULT NULL,
  `disabled_because` varchar(16) COLLATE utf8mb4_bin DEFAULT NULL,
  `failing_since` bigint DEFAULT NULL,
  `paused_until` bigint DEFAULT NULL,
  `replay_after` bigint DEFAULT NULL,
  `replay_to` bigint DEFAULT NULL,
  `created_at` bigint NOT NULL,
  `updated_at` bigint NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
