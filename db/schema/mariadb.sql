-- Made by scripts/schema.ts from a migrated database; change the migrations, not this file.

CREATE TABLE `account_identities` (
  `hash` varchar(64) NOT NULL,
  `account_id` bigint(20) NOT NULL,
  `issuer` varchar(1000) NOT NULL,
  `subject` varchar(255) NOT NULL,
  `created_at` bigint(20) NOT NULL,
  `used_at` bigint(20) NOT NULL,
  PRIMARY KEY (`hash`),
  KEY `account_identities_account` (`account_id`),
  CONSTRAINT `account_identities_user` FOREIGN KEY (`account_id`) REFERENCES `users` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `account_mail` (
  `account_id` bigint(20) NOT NULL,
  `email` varchar(254) DEFAULT NULL,
  `proved_at` bigint(20) DEFAULT NULL,
  `language` varchar(8) NOT NULL,
  `choices` mediumtext NOT NULL,
  `display_name` varchar(100) DEFAULT NULL,
  PRIMARY KEY (`account_id`),
  UNIQUE KEY `account_mail_email` (`email`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `account_usage` (
  `account_id` bigint(20) NOT NULL,
  `bytes` bigint(20) NOT NULL,
  `moves` bigint(20) NOT NULL DEFAULT 0,
  PRIMARY KEY (`account_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `acme_accounts` (
  `id` varchar(64) NOT NULL,
  `private_key` mediumtext NOT NULL,
  `created_at` bigint(20) NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `authenticators` (
  `account_id` bigint(20) NOT NULL,
  `secret` varchar(255) NOT NULL,
  `confirmed_at` bigint(20) DEFAULT NULL,
  `last_step` bigint(20) NOT NULL,
  `created_at` bigint(20) NOT NULL,
  PRIMARY KEY (`account_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `blobs` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `policy_id` bigint(20) NOT NULL,
  `sha256` varchar(64) NOT NULL,
  `generation` bigint(20) NOT NULL,
  `retired` bigint(20) NOT NULL,
  `size` bigint(20) NOT NULL,
  `refs` bigint(20) NOT NULL,
  `state` varchar(16) NOT NULL,
  `object_key` varchar(128) NOT NULL,
  `checked_at` bigint(20) NOT NULL,
  `created_at` bigint(20) NOT NULL,
  `kept_until` bigint(20) NOT NULL DEFAULT 0,
  PRIMARY KEY (`id`),
  UNIQUE KEY `blobs_content` (`policy_id`,`sha256`,`retired`),
  UNIQUE KEY `blobs_object_key` (`object_key`),
  KEY `blobs_state` (`state`,`checked_at`),
  CONSTRAINT `blobs_policy` FOREIGN KEY (`policy_id`) REFERENCES `policies` (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `bulk_changes` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `at` bigint(20) NOT NULL,
  `bulk` bigint(20) NOT NULL,
  `actor` varchar(140) NOT NULL,
  `via` varchar(16) NOT NULL,
  `account_id` bigint(20) DEFAULT NULL,
  `action` varchar(32) NOT NULL,
  `subject` varchar(300) NOT NULL,
  `before` mediumtext DEFAULT NULL,
  `after` mediumtext DEFAULT NULL,
  `links` bigint(20) NOT NULL,
  `state` varchar(8) NOT NULL,
  `undo_place` bigint(20) NOT NULL DEFAULT 0,
  `restored` bigint(20) NOT NULL DEFAULT 0,
  `failed` bigint(20) NOT NULL DEFAULT 0,
  `refusal` varchar(1000) DEFAULT NULL,
  `undone_at` bigint(20) DEFAULT NULL,
  `undone_by` varchar(140) DEFAULT NULL,
  `undone_via` varchar(16) DEFAULT NULL,
  `undone_account` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `bulk_changes_bulk` (`at`,`bulk`),
  KEY `bulk_changes_account` (`account_id`,`at`,`bulk`),
  KEY `bulk_changes_state` (`state`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `certificates` (
  `host` varchar(253) NOT NULL,
  `pair` mediumtext DEFAULT NULL,
  `renew_at` bigint(20) DEFAULT NULL,
  `ask_at` bigint(20) DEFAULT NULL,
  `order_url` varchar(2000) DEFAULT NULL,
  `order_key` mediumtext DEFAULT NULL,
  `challenge` varchar(500) DEFAULT NULL,
  `failures` bigint(20) NOT NULL DEFAULT 0,
  `failure` varchar(1000) DEFAULT NULL,
  `try_at` bigint(20) NOT NULL DEFAULT 0,
  PRIMARY KEY (`host`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `changes` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `topic` varchar(32) NOT NULL,
  `payload` mediumtext NOT NULL,
  `origin` varchar(36) NOT NULL,
  `created_at` bigint(20) NOT NULL,
  PRIMARY KEY (`id`),
  KEY `changes_created_at` (`created_at`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `click_day_changes` (
  `day` bigint(20) NOT NULL,
  `changes` bigint(20) NOT NULL,
  PRIMARY KEY (`day`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `click_days` (
  `day` bigint(20) NOT NULL,
  `link_id` bigint(20) NOT NULL,
  `clicks` bigint(20) NOT NULL,
  `automated` bigint(20) NOT NULL DEFAULT 0,
  PRIMARY KEY (`day`,`link_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin
 PARTITION BY RANGE (`day`)
(PARTITION `rest` VALUES LESS THAN MAXVALUE ENGINE = InnoDB);

CREATE TABLE `click_dim_days` (
  `day` bigint(20) NOT NULL,
  `link_id` bigint(20) NOT NULL,
  `dimension` bigint(20) NOT NULL,
  `value_id` bigint(20) NOT NULL,
  `clicks` bigint(20) NOT NULL,
  `automated` bigint(20) NOT NULL DEFAULT 0,
  PRIMARY KEY (`day`,`link_id`,`dimension`,`value_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin
 PARTITION BY RANGE (`day`)
(PARTITION `rest` VALUES LESS THAN MAXVALUE ENGINE = InnoDB);

CREATE TABLE `click_dim_hours` (
  `hour` bigint(20) NOT NULL,
  `dimension` bigint(20) NOT NULL,
  `value_id` bigint(20) NOT NULL,
  `clicks` bigint(20) NOT NULL,
  `automated` bigint(20) NOT NULL DEFAULT 0,
  PRIMARY KEY (`hour`,`dimension`,`value_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin
 PARTITION BY RANGE (`hour`)
(PARTITION `rest` VALUES LESS THAN MAXVALUE ENGINE = InnoDB);

CREATE TABLE `click_dim_months` (
  `month` bigint(20) NOT NULL,
  `link_id` bigint(20) NOT NULL,
  `dimension` bigint(20) NOT NULL,
  `value_id` bigint(20) NOT NULL,
  `clicks` bigint(20) NOT NULL,
  `automated` bigint(20) NOT NULL DEFAULT 0,
  PRIMARY KEY (`month`,`link_id`,`dimension`,`value_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `click_hours` (
  `hour` bigint(20) NOT NULL,
  `link_id` bigint(20) NOT NULL,
  `clicks` bigint(20) NOT NULL,
  `automated` bigint(20) NOT NULL DEFAULT 0,
  PRIMARY KEY (`hour`,`link_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin
 PARTITION BY RANGE (`hour`)
(PARTITION `rest` VALUES LESS THAN MAXVALUE ENGINE = InnoDB);

CREATE TABLE `click_log` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `link_id` bigint(20) NOT NULL,
  `clicked_at` bigint(20) NOT NULL,
  `referrer` varchar(2048) DEFAULT NULL,
  `source` varchar(255) NOT NULL,
  `ip_address` varchar(45) DEFAULT NULL,
  `country` varchar(2) DEFAULT NULL,
  `city` varchar(200) DEFAULT NULL,
  `user_agent_id` bigint(20) DEFAULT NULL,
  `automated` bigint(20) NOT NULL DEFAULT 0,
  `referrer_host` varchar(255) DEFAULT NULL,
  `utm_source` varchar(255) DEFAULT NULL,
  `utm_medium` varchar(255) DEFAULT NULL,
  `utm_campaign` varchar(255) DEFAULT NULL,
  `utm_term` varchar(255) DEFAULT NULL,
  `utm_content` varchar(255) DEFAULT NULL,
  `language` varchar(35) DEFAULT NULL,
  `channel` varchar(16) DEFAULT NULL,
  `rule` varchar(3) DEFAULT NULL,
  PRIMARY KEY (`id`,`clicked_at`),
  KEY `click_log_clicked_at` (`clicked_at`,`link_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin
 PARTITION BY RANGE (`clicked_at`)
(PARTITION `rest` VALUES LESS THAN MAXVALUE ENGINE = InnoDB);

CREATE TABLE `click_months` (
  `month` bigint(20) NOT NULL,
  `link_id` bigint(20) NOT NULL,
  `clicks` bigint(20) NOT NULL,
  `automated` bigint(20) NOT NULL DEFAULT 0,
  PRIMARY KEY (`month`,`link_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `click_set_days` (
  `set_id` bigint(20) NOT NULL,
  `day` bigint(20) NOT NULL,
  `changes` bigint(20) NOT NULL,
  PRIMARY KEY (`set_id`,`day`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `click_set_values` (
  `set_id` bigint(20) NOT NULL,
  `dimension` bigint(20) NOT NULL,
  `day` bigint(20) NOT NULL,
  `value_id` bigint(20) NOT NULL,
  `clicks` bigint(20) NOT NULL,
  `automated` bigint(20) NOT NULL DEFAULT 0,
  PRIMARY KEY (`set_id`,`dimension`,`day`,`value_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `click_sets` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `links` varchar(43) NOT NULL,
  `used_day` bigint(20) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `click_sets_links` (`links`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `click_values` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `dimension` bigint(20) NOT NULL,
  `value` varchar(255) NOT NULL,
  `seen_day` bigint(20) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `click_values_value` (`dimension`,`value`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `click_visitors` (
  `day` bigint(20) NOT NULL,
  `link_id` bigint(20) NOT NULL,
  `visitor` bigint(20) NOT NULL,
  PRIMARY KEY (`day`,`link_id`,`visitor`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin
 PARTITION BY RANGE (`day`)
(PARTITION `rest` VALUES LESS THAN MAXVALUE ENGINE = InnoDB);

CREATE TABLE `click_zones` (
  `id` bigint(20) NOT NULL,
  `zones` varchar(4000) NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `copies` (
  `entry_id` bigint(20) NOT NULL,
  `account_id` bigint(20) NOT NULL,
  `parent_id` bigint(20) NOT NULL,
  `name` varchar(255) NOT NULL,
  `bytes` bigint(20) NOT NULL,
  `level` bigint(20) NOT NULL,
  `source_id` bigint(20) NOT NULL,
  `last_id` bigint(20) NOT NULL,
  PRIMARY KEY (`entry_id`),
  KEY `copies_account_id` (`account_id`),
  CONSTRAINT `copies_entry` FOREIGN KEY (`entry_id`) REFERENCES `entries` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `copy_items` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `entry_id` bigint(20) NOT NULL,
  `level` bigint(20) NOT NULL,
  `source_id` bigint(20) NOT NULL,
  `parent_id` bigint(20) NOT NULL,
  `kind` varchar(8) NOT NULL,
  `name` varchar(255) NOT NULL,
  `size` bigint(20) NOT NULL,
  `copy_id` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `copy_items_source` (`entry_id`,`level`,`source_id`),
  CONSTRAINT `copy_items_entry` FOREIGN KEY (`entry_id`) REFERENCES `entries` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `dav_locks` (
  `id` bigint(20) NOT NULL,
  `content` mediumtext NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `dav_properties` (
  `id` bigint(20) NOT NULL,
  `content` mediumtext NOT NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `dav_properties_entry` FOREIGN KEY (`id`) REFERENCES `entries` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `deleted_links` (
  `link_id` bigint(20) NOT NULL,
  `code` varchar(140) NOT NULL,
  `deleted_at` bigint(20) NOT NULL,
  `deleted_by` varchar(140) DEFAULT NULL,
  `content` mediumtext DEFAULT NULL,
  `owner_id` bigint(20) DEFAULT NULL,
  `clicks` bigint(20) NOT NULL DEFAULT 0,
  `automated` bigint(20) NOT NULL DEFAULT 0,
  PRIMARY KEY (`link_id`),
  KEY `deleted_links_deleted_at` (`deleted_at`,`link_id`),
  KEY `deleted_links_owner` (`owner_id`,`deleted_at`,`link_id`),
  KEY `deleted_links_code` (`code`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `detail_drops` (
  `day` bigint(20) NOT NULL,
  `reason` varchar(16) NOT NULL,
  `clicks` bigint(20) NOT NULL,
  PRIMARY KEY (`day`,`reason`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `domain_documents` (
  `domain_id` bigint(20) NOT NULL,
  `name` varchar(100) NOT NULL,
  `type` varchar(100) NOT NULL,
  `size` bigint(20) NOT NULL,
  `sha256` varchar(64) NOT NULL,
  `text` mediumtext NOT NULL,
  PRIMARY KEY (`domain_id`,`name`),
  CONSTRAINT `domain_documents_domain` FOREIGN KEY (`domain_id`) REFERENCES `domains` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `domains` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `host` varchar(253) NOT NULL,
  `default_url` mediumtext DEFAULT NULL,
  `not_found_url` mediumtext DEFAULT NULL,
  `expired_url` mediumtext DEFAULT NULL,
  `created_at` bigint(20) NOT NULL,
  `updated_at` bigint(20) NOT NULL,
  `owner_id` bigint(20) DEFAULT NULL,
  `ignore_case` bigint(20) NOT NULL DEFAULT 0,
  PRIMARY KEY (`id`),
  UNIQUE KEY `domains_host` (`host`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `drop_files` (
  `entry_id` bigint(20) NOT NULL,
  `link_id` bigint(20) NOT NULL,
  `sender` varchar(64) NOT NULL,
  `sender_name` varchar(100) DEFAULT NULL,
  `name` varchar(255) NOT NULL,
  `created_at` bigint(20) NOT NULL,
  `sender_email` varchar(254) DEFAULT NULL,
  `path` mediumtext DEFAULT NULL,
  PRIMARY KEY (`entry_id`),
  KEY `drop_files_link_id` (`link_id`,`sender`,`entry_id`),
  CONSTRAINT `drop_files_entry` FOREIGN KEY (`entry_id`) REFERENCES `entries` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `drop_senders` (
  `link_id` bigint(20) NOT NULL,
  `sender` varchar(64) NOT NULL,
  `folder_id` bigint(20) NOT NULL,
  PRIMARY KEY (`link_id`,`sender`),
  KEY `drop_senders_folder_id` (`folder_id`),
  CONSTRAINT `drop_senders_folder` FOREIGN KEY (`folder_id`) REFERENCES `entries` (`id`) ON DELETE CASCADE,
  CONSTRAINT `drop_senders_link` FOREIGN KEY (`link_id`) REFERENCES `links` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `entries` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `account_id` bigint(20) NOT NULL,
  `parent_id` bigint(20) NOT NULL,
  `kind` varchar(8) NOT NULL,
  `name` varchar(255) NOT NULL,
  `policy_id` bigint(20) DEFAULT NULL,
  `blob_id` bigint(20) DEFAULT NULL,
  `mime_type` varchar(255) DEFAULT NULL,
  `sha256` varchar(64) DEFAULT NULL,
  `size` bigint(20) NOT NULL,
  `modified_at` bigint(20) DEFAULT NULL,
  `versions_bytes` bigint(20) NOT NULL DEFAULT 0,
  `created_by` varchar(128) DEFAULT NULL,
  `disk_time` bigint(20) DEFAULT NULL,
  `disk_name` varchar(512) DEFAULT NULL,
  `created_at` bigint(20) NOT NULL,
  `updated_at` bigint(20) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `entries_name` (`account_id`,`parent_id`,`name`),
  KEY `entries_kind` (`account_id`,`parent_id`,`kind`,`name`),
  KEY `entries_policy_id` (`policy_id`),
  KEY `entries_blob_id` (`blob_id`),
  CONSTRAINT `entries_blob` FOREIGN KEY (`blob_id`) REFERENCES `blobs` (`id`),
  CONSTRAINT `entries_policy` FOREIGN KEY (`policy_id`) REFERENCES `policies` (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `events` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `at` bigint(20) NOT NULL,
  `actor` varchar(140) NOT NULL,
  `via` varchar(16) NOT NULL,
  `action` varchar(32) NOT NULL,
  `subject` varchar(300) NOT NULL,
  `subject_id` bigint(20) DEFAULT NULL,
  `before` mediumtext DEFAULT NULL,
  `after` mediumtext DEFAULT NULL,
  `bulk` bigint(20) DEFAULT NULL,
  `untold` bigint(20) DEFAULT NULL,
  `tool` varchar(40) DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `events_at` (`at`,`id`),
  KEY `events_action` (`action`,`at`,`id`),
  KEY `events_actor` (`actor`,`at`,`id`),
  KEY `events_subject` (`subject`,`at`,`id`),
  KEY `events_subject_id` (`subject_id`,`at`,`id`),
  KEY `events_untold` (`untold`,`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `file_versions` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `entry_id` bigint(20) NOT NULL,
  `blob_id` bigint(20) NOT NULL,
  `mime_type` varchar(255) NOT NULL,
  `sha256` varchar(64) NOT NULL,
  `size` bigint(20) NOT NULL,
  `modified_at` bigint(20) NOT NULL,
  `created_at` bigint(20) NOT NULL,
  `created_by` varchar(128) DEFAULT NULL,
  `replaced_at` bigint(20) NOT NULL,
  PRIMARY KEY (`id`),
  KEY `file_versions_of_entry` (`entry_id`,`id`),
  KEY `file_versions_blob_id` (`blob_id`),
  KEY `file_versions_replaced_at` (`replaced_at`,`id`),
  CONSTRAINT `file_versions_blob` FOREIGN KEY (`blob_id`) REFERENCES `blobs` (`id`),
  CONSTRAINT `file_versions_entry` FOREIGN KEY (`entry_id`) REFERENCES `entries` (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `import_clicks` (
  `import_id` bigint(20) NOT NULL,
  `link_id` bigint(20) NOT NULL,
  `unit` bigint(20) NOT NULL,
  `bucket` bigint(20) NOT NULL,
  `dimension` bigint(20) NOT NULL,
  `value_id` bigint(20) NOT NULL,
  `clicks` bigint(20) NOT NULL,
  `automated` bigint(20) NOT NULL DEFAULT 0,
  PRIMARY KEY (`import_id`,`link_id`,`unit`,`bucket`,`dimension`,`value_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `import_entries` (
  `import_id` bigint(20) NOT NULL,
  `entry_id` bigint(20) NOT NULL,
  `parent_id` bigint(20) NOT NULL,
  `made_at` bigint(20) NOT NULL,
  PRIMARY KEY (`import_id`,`entry_id`),
  KEY `import_entries_parent` (`import_id`,`parent_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `import_links` (
  `import_id` bigint(20) NOT NULL,
  `source_key` varchar(32) NOT NULL,
  `link_id` bigint(20) NOT NULL,
  `made_at` bigint(20) NOT NULL,
  `total` bigint(20) NOT NULL DEFAULT 0,
  `dated` bigint(20) NOT NULL DEFAULT 0,
  `automated` bigint(20) NOT NULL DEFAULT 0,
  `removed` bigint(20) NOT NULL DEFAULT 0,
  PRIMARY KEY (`import_id`,`source_key`),
  KEY `import_links_link` (`import_id`,`removed`,`link_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `import_notes` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `import_id` bigint(20) NOT NULL,
  `place` bigint(20) NOT NULL,
  `kind` varchar(16) NOT NULL,
  `code` varchar(200) NOT NULL,
  `reason` varchar(1000) NOT NULL,
  PRIMARY KEY (`id`),
  KEY `import_notes_kind` (`import_id`,`kind`,`id`),
  KEY `import_notes_import` (`import_id`,`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `imports` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `product` varchar(16) NOT NULL,
  `source` varchar(1000) NOT NULL,
  `file` varchar(64) DEFAULT NULL,
  `secret` varchar(2000) DEFAULT NULL,
  `state` varchar(16) NOT NULL,
  `created_at` bigint(20) NOT NULL,
  `created_by` varchar(140) NOT NULL,
  `updated_at` bigint(20) NOT NULL,
  `options` mediumtext NOT NULL,
  `report` mediumtext NOT NULL,
  `link_place` bigint(20) NOT NULL DEFAULT 0,
  `visit_place` bigint(20) NOT NULL DEFAULT 0,
  `event_id` bigint(20) DEFAULT NULL,
  `file_place` bigint(20) NOT NULL DEFAULT 0,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `instance` (
  `id` bigint(20) NOT NULL,
  `uuid` varchar(36) NOT NULL,
  `created_at` bigint(20) NOT NULL,
  `key_fingerprint` varchar(64) DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `journals` (
  `id` varchar(36) NOT NULL,
  `position` bigint(20) NOT NULL,
  `updated_at` bigint(20) NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `leases` (
  `name` varchar(64) NOT NULL,
  `owner` varchar(128) NOT NULL,
  `expires_at` bigint(20) NOT NULL,
  PRIMARY KEY (`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `link_aliases` (
  `code` varchar(140) NOT NULL,
  `link_id` bigint(20) NOT NULL,
  `created_at` bigint(20) NOT NULL,
  PRIMARY KEY (`code`),
  KEY `link_aliases_link_id` (`link_id`),
  CONSTRAINT `link_aliases_link` FOREIGN KEY (`link_id`) REFERENCES `links` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `link_clicks` (
  `link_id` bigint(20) NOT NULL,
  `clicks` bigint(20) NOT NULL,
  `ranked` bigint(20) NOT NULL DEFAULT 0,
  `automated` bigint(20) NOT NULL DEFAULT 0,
  `ranked_human` bigint(20) NOT NULL DEFAULT 0,
  PRIMARY KEY (`link_id`),
  KEY `link_clicks_ranked` (`ranked`,`link_id`),
  KEY `link_clicks_ranked_human` (`ranked_human`,`link_id`),
  CONSTRAINT `link_clicks_link` FOREIGN KEY (`link_id`) REFERENCES `links` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `link_downloads` (
  `link_id` bigint(20) NOT NULL,
  `downloads` bigint(20) NOT NULL,
  PRIMARY KEY (`link_id`),
  CONSTRAINT `link_downloads_link` FOREIGN KEY (`link_id`) REFERENCES `links` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `link_reports` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `link_id` bigint(20) NOT NULL,
  `at` bigint(20) NOT NULL,
  `reason` varchar(16) NOT NULL,
  `details` varchar(1000) DEFAULT NULL,
  `resolved_at` bigint(20) DEFAULT NULL,
  `resolved_by` varchar(128) DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `link_reports_link` (`link_id`),
  KEY `link_reports_open` (`resolved_at`,`id`),
  CONSTRAINT `link_reports_link` FOREIGN KEY (`link_id`) REFERENCES `links` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `link_tags` (
  `tag_id` bigint(20) NOT NULL,
  `link_id` bigint(20) NOT NULL,
  PRIMARY KEY (`tag_id`,`link_id`),
  KEY `link_tags_link_id` (`link_id`),
  CONSTRAINT `link_tags_link` FOREIGN KEY (`link_id`) REFERENCES `links` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `link_totals` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `links` bigint(20) NOT NULL,
  `clicks` bigint(20) NOT NULL DEFAULT 0,
  `automated` bigint(20) NOT NULL DEFAULT 0,
  `imported` bigint(20) NOT NULL DEFAULT 0,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `link_uses` (
  `link_id` bigint(20) NOT NULL,
  `uses` bigint(20) NOT NULL,
  PRIMARY KEY (`link_id`),
  CONSTRAINT `link_uses_link` FOREIGN KEY (`link_id`) REFERENCES `links` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `linked_folders` (
  `entry_id` bigint(20) NOT NULL,
  `inode` varchar(32) DEFAULT NULL,
  `scanned_at` bigint(20) NOT NULL,
  `files` bigint(20) NOT NULL,
  `trouble` varchar(1000) DEFAULT NULL,
  PRIMARY KEY (`entry_id`),
  CONSTRAINT `linked_folders_entry` FOREIGN KEY (`entry_id`) REFERENCES `entries` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `links` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `code` varchar(140) NOT NULL,
  `target` mediumtext NOT NULL,
  `created_at` bigint(20) NOT NULL,
  `updated_at` bigint(20) NOT NULL,
  `expires_at` bigint(20) DEFAULT NULL,
  `password_hash` varchar(255) DEFAULT NULL,
  `title` varchar(200) DEFAULT NULL,
  `note` mediumtext DEFAULT NULL,
  `owner_id` bigint(20) DEFAULT NULL,
  `created_by` varchar(128) DEFAULT NULL,
  `options` mediumtext DEFAULT NULL,
  `held` varchar(16) DEFAULT NULL,
  `dead_since` bigint(20) DEFAULT NULL,
  `target_hash` bigint(20) DEFAULT NULL,
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
  `account` varchar(128) NOT NULL,
  `failures` bigint(20) NOT NULL,
  `retry_at` bigint(20) NOT NULL,
  `updated_at` bigint(20) NOT NULL,
  PRIMARY KEY (`account`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `mails` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `kind` varchar(32) NOT NULL,
  `account_id` bigint(20) DEFAULT NULL,
  `recipient` varchar(254) NOT NULL,
  `language` varchar(8) NOT NULL,
  `content` mediumtext NOT NULL,
  `state` varchar(16) NOT NULL,
  `due_at` bigint(20) NOT NULL,
  `attempts` bigint(20) NOT NULL,
  `tried_at` bigint(20) DEFAULT NULL,
  `is_server_trouble` bigint(20) NOT NULL,
  `was_interrupted` bigint(20) NOT NULL,
  `error` varchar(500) DEFAULT NULL,
  `created_at` bigint(20) NOT NULL,
  `sent_at` bigint(20) DEFAULT NULL,
  `useful_until` bigint(20) DEFAULT NULL,
  `once_key` varchar(150) DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `mails_once` (`once_key`),
  KEY `mails_due` (`state`,`due_at`,`id`),
  KEY `mails_created` (`created_at`,`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `missing_codes` (
  `day` bigint(20) NOT NULL,
  `code` varchar(140) NOT NULL,
  `human` bigint(20) NOT NULL DEFAULT 0,
  `automated` bigint(20) NOT NULL DEFAULT 0,
  `seen_at` bigint(20) NOT NULL,
  PRIMARY KEY (`day`,`code`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `oidc_sessions` (
  `session_id` varchar(36) NOT NULL,
  `id_token` mediumtext NOT NULL,
  PRIMARY KEY (`session_id`),
  CONSTRAINT `oidc_sessions_session` FOREIGN KEY (`session_id`) REFERENCES `sessions` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `owner_tags` (
  `owner_id` bigint(20) NOT NULL,
  `tag_id` bigint(20) NOT NULL,
  `links` bigint(20) NOT NULL,
  PRIMARY KEY (`owner_id`,`tag_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `passkeys` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `account_id` bigint(20) NOT NULL,
  `name` varchar(64) NOT NULL,
  `credential_hash` varchar(64) NOT NULL,
  `credential_id` mediumtext NOT NULL,
  `public_key` mediumtext NOT NULL,
  `counter` bigint(20) NOT NULL,
  `transports` varchar(128) NOT NULL,
  `backed_up` bigint(20) NOT NULL,
  `created_at` bigint(20) NOT NULL,
  `last_used_at` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `passkeys_credential` (`credential_hash`),
  KEY `passkeys_account` (`account_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `policies` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `name` varchar(255) NOT NULL,
  `driver_type` varchar(16) NOT NULL,
  `endpoint` varchar(1024) DEFAULT NULL,
  `bucket` varchar(255) DEFAULT NULL,
  `region` varchar(64) DEFAULT NULL,
  `access_key` varchar(1024) DEFAULT NULL,
  `secret_key` varchar(1024) DEFAULT NULL,
  `base_path` varchar(1024) NOT NULL,
  `max_file_size` bigint(20) NOT NULL,
  `download` varchar(16) NOT NULL,
  `is_default` bigint(20) DEFAULT NULL,
  `read_only` bigint(20) DEFAULT NULL,
  `rescan_minutes` bigint(20) DEFAULT NULL,
  `created_at` bigint(20) NOT NULL,
  `updated_at` bigint(20) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `policies_name` (`name`),
  UNIQUE KEY `policies_default` (`is_default`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `presets` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `kind` varchar(8) NOT NULL,
  `owner_id` bigint(20) NOT NULL,
  `name` varchar(64) NOT NULL,
  `content` mediumtext NOT NULL,
  `created_at` bigint(20) NOT NULL,
  `created_by` varchar(128) DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `presets_name` (`owner_id`,`kind`,`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `recovery_codes` (
  `account_id` bigint(20) NOT NULL,
  `hash` varchar(64) NOT NULL,
  PRIMARY KEY (`account_id`,`hash`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `repeats` (
  `id` varchar(64) NOT NULL,
  `account_id` bigint(20) NOT NULL,
  `fingerprint` varchar(64) NOT NULL,
  `claim` varchar(36) NOT NULL,
  `state` varchar(8) NOT NULL,
  `claimed_until` bigint(20) NOT NULL,
  `expires_at` bigint(20) NOT NULL,
  `size` bigint(20) NOT NULL,
  `answer` mediumtext DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `repeats_account` (`account_id`,`expires_at`,`size`),
  KEY `repeats_expiry` (`expires_at`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `report_mails` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `link_id` bigint(20) NOT NULL,
  `every` varchar(8) NOT NULL,
  `minute` bigint(20) NOT NULL,
  `next_at` bigint(20) NOT NULL,
  `last_at` bigint(20) DEFAULT NULL,
  `created_by` varchar(128) DEFAULT NULL,
  `created_at` bigint(20) NOT NULL,
  PRIMARY KEY (`id`),
  KEY `report_mails_link_id` (`link_id`,`id`),
  KEY `report_mails_next_at` (`next_at`,`id`),
  CONSTRAINT `report_mails_link` FOREIGN KEY (`link_id`) REFERENCES `links` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `report_pages` (
  `link_id` bigint(20) NOT NULL,
  `filter` mediumtext NOT NULL,
  `days` bigint(20) DEFAULT NULL,
  `first_day` varchar(10) DEFAULT NULL,
  `last_day` varchar(10) DEFAULT NULL,
  PRIMARY KEY (`link_id`),
  CONSTRAINT `report_pages_link` FOREIGN KEY (`link_id`) REFERENCES `links` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `report_readers` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `mail_id` bigint(20) NOT NULL,
  `email` varchar(254) NOT NULL,
  `language` varchar(8) NOT NULL,
  `state` varchar(8) NOT NULL,
  `token` varchar(43) NOT NULL,
  `changed_at` bigint(20) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `report_readers_email` (`mail_id`,`email`),
  UNIQUE KEY `report_readers_token` (`token`),
  KEY `report_readers_of` (`email`,`state`),
  CONSTRAINT `report_readers_mail` FOREIGN KEY (`mail_id`) REFERENCES `report_mails` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `reuse_turns` (
  `id` bigint(20) NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `sessions` (
  `id` varchar(36) NOT NULL,
  `user_id` bigint(20) NOT NULL,
  `created_at` bigint(20) NOT NULL,
  `expires_at` bigint(20) NOT NULL,
  `refresh_jti` varchar(64) NOT NULL,
  `previous_jti` varchar(64) DEFAULT NULL,
  `rotated_at` bigint(20) DEFAULT NULL,
  `revoked_at` bigint(20) DEFAULT NULL,
  `address` varchar(64) DEFAULT NULL,
  `browser` varchar(64) DEFAULT NULL,
  `os` varchar(64) DEFAULT NULL,
  `signed_in_by` varchar(16) DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `sessions_user_id` (`user_id`),
  KEY `sessions_expires_at` (`expires_at`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `settings` (
  `key` varchar(128) NOT NULL,
  `value` mediumtext NOT NULL,
  `updated_at` bigint(20) NOT NULL,
  `updated_by` varchar(128) NOT NULL,
  PRIMARY KEY (`key`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `settings_history` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `key` varchar(128) NOT NULL,
  `old_value` mediumtext DEFAULT NULL,
  `new_value` mediumtext DEFAULT NULL,
  `changed_at` bigint(20) NOT NULL,
  `changed_by` varchar(128) NOT NULL,
  PRIMARY KEY (`id`),
  KEY `settings_history_key` (`key`,`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `share_items` (
  `link_id` bigint(20) NOT NULL,
  `entry_id` bigint(20) NOT NULL,
  PRIMARY KEY (`link_id`,`entry_id`),
  KEY `share_items_entry_id` (`entry_id`),
  CONSTRAINT `share_items_entry` FOREIGN KEY (`entry_id`) REFERENCES `entries` (`id`) ON DELETE CASCADE,
  CONSTRAINT `share_items_link` FOREIGN KEY (`link_id`) REFERENCES `links` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `share_recipients` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `link_id` bigint(20) NOT NULL,
  `email` varchar(254) NOT NULL,
  `code_hash` varchar(64) DEFAULT NULL,
  `code_until` bigint(20) NOT NULL,
  `code_tries` bigint(20) NOT NULL,
  `codes_full_at` bigint(20) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `share_recipients_email` (`link_id`,`email`),
  CONSTRAINT `share_recipients_link` FOREIGN KEY (`link_id`) REFERENCES `links` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `share_visits` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `link_id` bigint(20) NOT NULL,
  `email` varchar(254) DEFAULT NULL,
  `action` varchar(16) NOT NULL,
  `name` varchar(255) DEFAULT NULL,
  `at` bigint(20) NOT NULL,
  `browser` varchar(64) DEFAULT NULL,
  `os` varchar(64) DEFAULT NULL,
  `automated` bigint(20) NOT NULL DEFAULT 0,
  PRIMARY KEY (`id`),
  KEY `share_visits_of_link` (`link_id`,`id`),
  CONSTRAINT `share_visits_link` FOREIGN KEY (`link_id`) REFERENCES `links` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `shares` (
  `link_id` bigint(20) NOT NULL,
  `entry_id` bigint(20) NOT NULL,
  `max_downloads` bigint(20) DEFAULT NULL,
  `downloads` bigint(20) NOT NULL,
  `created_at` bigint(20) NOT NULL,
  `max_bytes` bigint(20) DEFAULT NULL,
  `max_files` bigint(20) DEFAULT NULL,
  `max_file_size` bigint(20) DEFAULT NULL,
  `bytes` bigint(20) NOT NULL DEFAULT 0,
  `files` bigint(20) NOT NULL DEFAULT 0,
  `account_id` bigint(20) NOT NULL DEFAULT 0,
  `message` varchar(2000) DEFAULT NULL,
  `verify` bigint(20) NOT NULL DEFAULT 0,
  `two_way` bigint(20) NOT NULL DEFAULT 0,
  `several` bigint(20) NOT NULL DEFAULT 0,
  `requires` varchar(8) DEFAULT NULL,
  `sender_folders` bigint(20) NOT NULL DEFAULT 0,
  `types` varchar(2200) DEFAULT NULL,
  PRIMARY KEY (`link_id`),
  KEY `shares_entry_id` (`entry_id`),
  KEY `shares_account` (`account_id`,`link_id`),
  CONSTRAINT `shares_entry` FOREIGN KEY (`entry_id`) REFERENCES `entries` (`id`),
  CONSTRAINT `shares_link` FOREIGN KEY (`link_id`) REFERENCES `links` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `staged_counts` (
  `policy_id` bigint(20) NOT NULL,
  `objects` bigint(20) NOT NULL,
  `bytes` bigint(20) NOT NULL,
  `abandoned_objects` bigint(20) NOT NULL,
  `abandoned_bytes` bigint(20) NOT NULL,
  `counted_at` bigint(20) NOT NULL,
  PRIMARY KEY (`policy_id`),
  CONSTRAINT `staged_counts_policy` FOREIGN KEY (`policy_id`) REFERENCES `policies` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `storage_move_failures` (
  `blob_id` bigint(20) NOT NULL,
  `policy_id` bigint(20) NOT NULL,
  `reason` varchar(1000) NOT NULL,
  PRIMARY KEY (`blob_id`),
  KEY `storage_move_failures_policy_id` (`policy_id`),
  CONSTRAINT `storage_move_failures_blob` FOREIGN KEY (`blob_id`) REFERENCES `blobs` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `storage_moves` (
  `policy_id` bigint(20) NOT NULL,
  `to_id` bigint(20) NOT NULL,
  `state` varchar(16) NOT NULL,
  `rate` bigint(20) NOT NULL,
  `objects_done` bigint(20) NOT NULL,
  `bytes_done` bigint(20) NOT NULL,
  `begun_at` bigint(20) NOT NULL,
  `begun_objects` bigint(20) NOT NULL,
  `begun_bytes` bigint(20) NOT NULL,
  `trouble` varchar(1000) DEFAULT NULL,
  PRIMARY KEY (`policy_id`),
  KEY `storage_moves_to_id` (`to_id`),
  CONSTRAINT `storage_moves_policy` FOREIGN KEY (`policy_id`) REFERENCES `policies` (`id`) ON DELETE CASCADE,
  CONSTRAINT `storage_moves_to` FOREIGN KEY (`to_id`) REFERENCES `policies` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `tags` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tag` varchar(64) NOT NULL,
  `links` bigint(20) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `tags_tag` (`tag`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `target_checks` (
  `link_id` bigint(20) NOT NULL,
  `failures` bigint(20) NOT NULL,
  `failed_since` bigint(20) NOT NULL,
  `checked_at` bigint(20) NOT NULL,
  `problem` varchar(200) NOT NULL,
  PRIMARY KEY (`link_id`),
  CONSTRAINT `target_checks_link` FOREIGN KEY (`link_id`) REFERENCES `links` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `target_rounds` (
  `id` bigint(20) NOT NULL,
  `started_at` bigint(20) NOT NULL,
  `link_id` bigint(20) NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `team_members` (
  `team_id` bigint(20) NOT NULL,
  `account_id` bigint(20) NOT NULL,
  `role` varchar(16) NOT NULL,
  PRIMARY KEY (`team_id`,`account_id`),
  KEY `team_members_account` (`account_id`,`team_id`),
  CONSTRAINT `team_members_team` FOREIGN KEY (`team_id`) REFERENCES `teams` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `teams` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `name` varchar(64) NOT NULL,
  `created_at` bigint(20) NOT NULL,
  `updated_at` bigint(20) NOT NULL,
  `quota_bytes` bigint(20) NOT NULL DEFAULT 0,
  PRIMARY KEY (`id`),
  UNIQUE KEY `teams_name` (`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `title_fetches` (
  `link_id` bigint(20) NOT NULL,
  PRIMARY KEY (`link_id`),
  CONSTRAINT `title_fetches_link` FOREIGN KEY (`link_id`) REFERENCES `links` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `tokens` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `user_id` bigint(20) NOT NULL,
  `name` varchar(64) NOT NULL,
  `hash` varchar(64) NOT NULL,
  `scopes` varchar(255) NOT NULL,
  `created_at` bigint(20) NOT NULL,
  `expires_at` bigint(20) DEFAULT NULL,
  `last_used_at` bigint(20) DEFAULT NULL,
  `folder_id` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `tokens_hash` (`hash`),
  UNIQUE KEY `tokens_name` (`user_id`,`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `transfers` (
  `entry_id` bigint(20) NOT NULL,
  `from_id` bigint(20) NOT NULL,
  `to_id` bigint(20) NOT NULL,
  `parent_id` bigint(20) NOT NULL,
  `name` varchar(255) NOT NULL,
  `is_whole` bigint(20) NOT NULL,
  `bytes` bigint(20) NOT NULL,
  PRIMARY KEY (`entry_id`),
  KEY `transfers_from` (`from_id`),
  CONSTRAINT `transfers_entry` FOREIGN KEY (`entry_id`) REFERENCES `entries` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `trash` (
  `entry_id` bigint(20) NOT NULL,
  `account_id` bigint(20) NOT NULL,
  `parent_id` bigint(20) NOT NULL,
  `name` varchar(255) NOT NULL,
  `trashed_at` bigint(20) NOT NULL,
  PRIMARY KEY (`entry_id`),
  KEY `trash_account` (`account_id`,`trashed_at`,`entry_id`),
  KEY `trash_trashed_at` (`trashed_at`,`entry_id`),
  CONSTRAINT `trash_entry` FOREIGN KEY (`entry_id`) REFERENCES `entries` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `uploads` (
  `id` varchar(36) NOT NULL,
  `account_id` bigint(20) NOT NULL,
  `folder_id` bigint(20) NOT NULL,
  `name` varchar(255) NOT NULL,
  `mime_type` varchar(255) NOT NULL,
  `metadata` mediumtext NOT NULL,
  `size` bigint(20) DEFAULT NULL,
  `received` bigint(20) NOT NULL,
  `policy_id` bigint(20) NOT NULL,
  `modified_at` bigint(20) DEFAULT NULL,
  `created_at` bigint(20) NOT NULL,
  `expires_at` bigint(20) NOT NULL,
  `drop_link_id` bigint(20) DEFAULT NULL,
  `sender` varchar(64) DEFAULT NULL,
  `sender_name` varchar(100) DEFAULT NULL,
  `sender_address` varchar(64) DEFAULT NULL,
  `sender_email` varchar(254) DEFAULT NULL,
  `path` mediumtext DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `uploads_expires_at` (`expires_at`),
  KEY `uploads_policy_id` (`policy_id`),
  KEY `uploads_account_id` (`account_id`),
  CONSTRAINT `uploads_policy` FOREIGN KEY (`policy_id`) REFERENCES `policies` (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `user_agents` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `hash` varchar(32) NOT NULL,
  `text` varchar(1024) NOT NULL,
  `value_id` bigint(20) NOT NULL,
  `seen_day` bigint(20) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `user_agents_hash` (`hash`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `users` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `username` varchar(64) NOT NULL,
  `password_hash` varchar(255) NOT NULL,
  `role` varchar(16) NOT NULL,
  `disabled` bigint(20) NOT NULL,
  `created_at` bigint(20) NOT NULL,
  `updated_at` bigint(20) NOT NULL,
  `quota_bytes` bigint(20) NOT NULL DEFAULT 0,
  PRIMARY KEY (`id`),
  UNIQUE KEY `users_username` (`username`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `visitor_days` (
  `day` bigint(20) NOT NULL,
  `link_id` bigint(20) NOT NULL,
  `visitors` bigint(20) NOT NULL,
  `automated` bigint(20) NOT NULL DEFAULT 0,
  PRIMARY KEY (`day`,`link_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin
 PARTITION BY RANGE (`day`)
(PARTITION `rest` VALUES LESS THAN MAXVALUE ENGINE = InnoDB);

CREATE TABLE `visitor_salts` (
  `day` bigint(20) NOT NULL,
  `salt` varchar(200) NOT NULL,
  PRIMARY KEY (`day`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `webhook_deliveries` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `webhook_id` bigint(20) NOT NULL,
  `event_id` bigint(20) DEFAULT NULL,
  `event` varchar(32) NOT NULL,
  `state` varchar(16) NOT NULL,
  `due_at` bigint(20) NOT NULL,
  `attempts` bigint(20) NOT NULL,
  `tried_at` bigint(20) DEFAULT NULL,
  `tries` mediumtext NOT NULL,
  `created_at` bigint(20) NOT NULL,
  `delivered_at` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `webhook_deliveries_event` (`webhook_id`,`event_id`),
  KEY `webhook_deliveries_due` (`webhook_id`,`state`,`due_at`,`id`),
  KEY `webhook_deliveries_newest` (`webhook_id`,`id`),
  KEY `webhook_deliveries_created` (`created_at`,`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `webhooks` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `url` varchar(2000) NOT NULL,
  `events` varchar(1000) NOT NULL,
  `secret` varchar(300) NOT NULL,
  `previous_secret` varchar(300) DEFAULT NULL,
  `previous_until` bigint(20) DEFAULT NULL,
  `disabled_because` varchar(16) DEFAULT NULL,
  `failing_since` bigint(20) DEFAULT NULL,
  `paused_until` bigint(20) DEFAULT NULL,
  `replay_after` bigint(20) DEFAULT NULL,
  `replay_to` bigint(20) DEFAULT NULL,
  `created_at` bigint(20) NOT NULL,
  `updated_at` bigint(20) NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
