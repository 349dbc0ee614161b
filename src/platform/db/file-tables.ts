/** Tables of files; see schema.ts. */
export const FILE_TABLES = {
  /** Keys are sealed (lib/secret-box.ts). */
  policies: {
    id: "serial",
    name: "text(255)",
    /** "local", "s3" or "linked". Only for s3 the columns up to secret_key are not null. */
    driver_type: "text(16)",
    endpoint: "text(1024)?",
    bucket: "text(255)?",
    region: "text(64)?",
    access_key: "text(1024)?",
    secret_key: "text(1024)?",
    base_path: "text(1024)",
    /** Bytes; 0 is unlimited. */
    max_file_size: "int",
    /** "relay" or "redirect". */
    download: "text(16)",
    /** 1 or null, so that one row is the default. */
    is_default: "int?",
    /** Linked only, like the next one: 1 if nothing may be written there. */
    read_only: "int?",
    rescan_minutes: "int?",
    created_at: "int",
    updated_at: "int",
  },
  /** Content, stored once per policy (files/blobs/service.ts). */
  blobs: {
    id: "serial",
    policy_id: "int",
    /** 64 hex digits. */
    sha256: "text(64)",
    /** Random, below 2^52; tells apart the objects that ever held this content. */
    generation: "int",
    /** 0 for the live blob of its content, else its generation. */
    retired: "int",
    size: "int",
    /** Number of entries and versions. */
    refs: "int",
    /**
     * "live", "dead" (no refs, object being removed), "damaged" (not served, kept for repair) or "linked": a file that
     * lies on the server (docs/decisions/linked-folders.md). It is never shared, so `retired` is its generation, and its
     * sha256 is a random text.
     */
    state: "text(16)",
    /** Relative to the policy's base path. */
    object_key: "text(128)",
    /** When the bytes were last compared with sha256; 0: never. */
    checked_at: "int",
    created_at: "int",
    /** Dead ones that were moved to another storage: until then downloads may read the object. Else 0. */
    kept_until: "int0",
  },
  /** The last move of a policy's content to another policy (files/moving/). */
  storage_moves: {
    policy_id: "int",
    to_id: "int",
    /** "running", "stopped" or "done". */
    state: "text(16)",
    /** Bytes a second; 0: unlimited. */
    rate: "int",
    objects_done: "int",
    bytes_done: "int",
    /** When a process last began to move, and what was done then. */
    begun_at: "int",
    begun_objects: "int",
    begun_bytes: "int",
    /** Why it waits. */
    trouble: "text(1000)?",
  },
  /** Content that could not be moved. It stays, until the move is started again. */
  storage_move_failures: {
    blob_id: "int",
    policy_id: "int",
    reason: "text(1000)",
  },
  /** Folders and files in one table, so that one unique index covers their names. */
  entries: {
    id: "serial",
    /**
     * An account or team (lib/owner.ts). 0 is the built-in administrator, -1 folders being removed (files/tree/removal.ts), with their account as parent
     * and their id as name.
     */
    account_id: "int",
    /** A folder of the same account; 0 is the root, -1 the trash, -2 a folder of `transfers` or `copies`. */
    parent_id: "int",
    /** "folder" or "file". */
    kind: "text(8)",
    /** NFC, compared by bytes. */
    name: "text(255)",
    /** Folders only: overrides the inherited policy. */
    policy_id: "int?",
    /** Files only, like the next two. */
    blob_id: "int?",
    mime_type: "text(255)?",
    /** Copied from blobs for listings. */
    sha256: "text(64)?",
    /** Likewise; 0 for folders. */
    size: "int",
    /** When the content was changed last where it came from, else when it was uploaded; null for folders. */
    modified_at: "int?",
    /** Sum of the sizes in `file_versions`; 0: the file has no versions. */
    versions_bytes: "int0",
    /** Who uploaded the content, as in `links`; null for visitors. */
    created_by: "text(128)?",
    /**
     * Only of entries that lie on the server: when the file changed there, in microseconds; 0 for folders. Then sha256
     * is null until it is made, and the size does not count in the quota.
     */
    disk_time: "int?",
    /** Its name there if it differs; "/" and hex digits if that is not UTF-8. */
    disk_name: "text(512)?",
    created_at: "int",
    updated_at: "int",
  },
  /** Former contents of files (files/versions/), never empty. Newer ones have larger ids. Rows do not change. */
  file_versions: {
    id: "serial",
    entry_id: "int",
    blob_id: "int",
    /** As the file had them, up to `created_by`. */
    mime_type: "text(255)",
    sha256: "text(64)",
    size: "int",
    modified_at: "int",
    created_at: "int",
    created_by: "text(128)?",
    /** When the file got other content. */
    replaced_at: "int",
  },
  /** Folders that show a linked policy. Removed with the entry. */
  linked_folders: {
    entry_id: "int",
    /** Of the folder on the server, as seen last; null until then. */
    inode: "text(32)?",
    /** When the last scan ended; 0: never. */
    scanned_at: "int",
    /** What it found. */
    files: "int",
    /** What it could not show, or why it ended early. */
    trouble: "text(1000)?",
  },
  /** Its row is the lock of the account's tree. */
  account_usage: { account_id: "int", bytes: "int", moves: "int0" },
  /**
   * Large folders on their way to another owner (files/tree/transfers.ts). Their row in `entries` is the new owner's,
   * with the parent -2 and its id as name.
   */
  transfers: {
    entry_id: "int",
    from_id: "int",
    to_id: "int",
    /** Where the folder will be. */
    parent_id: "int",
    name: "text(255)",
    /** 1: the folder takes all that the former owner has. */
    is_whole: "int",
    /** Bytes that have not come yet, which count in the quota. */
    bytes: "int",
  },
  /**
   * Folders that are being copied (files/tree/copies.ts). The copy has the parent -2 until it is complete, and its bytes
   * count in account_usage from the beginning.
   */
  copies: {
    /** The copy. */
    entry_id: "int",
    account_id: "int",
    /** Where the copy will be. */
    parent_id: "int",
    name: "text(255)",
    /** Bytes that are not copied yet. */
    bytes: "int",
    /** The item that was copied last, and the largest id of a copy. */
    level: "int",
    source_id: "int",
    last_id: "int",
  },
  /** What a folder had when its copy began. */
  copy_items: {
    id: "serial",
    /** The copy of the whole folder. */
    entry_id: "int",
    /** 0 is the folder itself. */
    level: "int",
    source_id: "int",
    /** The folder around the source. */
    parent_id: "int",
    kind: "text(8)",
    name: "text(255)",
    size: "int",
    /** Of a folder that is copied. */
    copy_id: "int?",
  },
  uploads: {
    /** A lower-case UUID, which the storage also uses for the bytes. */
    id: "text(36)",
    account_id: "int",
    /** 0 is the root. */
    folder_id: "int",
    name: "text(255)",
    mime_type: "text(255)",
    /** Upload-Metadata as sent. */
    metadata: "text",
    /** Null until the client sends it. */
    size: "int?",
    /** Durable bytes. */
    received: "int",
    policy_id: "int",
    /** The file's; null: when the upload ends. */
    modified_at: "int?",
    created_at: "int",
    expires_at: "int",
    /** The drop box of a stranger's upload, like the columns after it; null for the account's own. */
    drop_link_id: "int?",
    sender: "text(64)?",
    sender_name: "text(100)?",
    /** Hash of the visitor's network address. */
    sender_address: "text(64)?",
    /** As the visitor gave it. */
    sender_email: "text(254)?",
    /** Names of the folders around the visitor's file, joined by "/"; null without. */
    path: "text?",
  },
  /** What unfinished uploads take of each policy's storage, as last counted (files/blobs/left-overs.ts). */
  staged_counts: {
    policy_id: "int",
    objects: "int",
    bytes: "int",
    /** The part that no running process and no resumable upload uses. */
    abandoned_objects: "int",
    abandoned_bytes: "int",
    counted_at: "int",
  },
  /** Removed with the link. */
  shares: {
    link_id: "int",
    /** The foreign key requires removing the link with the entry. */
    entry_id: "int",
    max_downloads: "int?",
    downloads: "int",
    created_at: "int",
    /** Null for shares that take no files. In a drop box the entry is the folder that takes the files. */
    max_bytes: "int?",
    max_files: "int?",
    /** Bytes; null is unlimited. */
    max_file_size: "int?",
    /** What a drop box has taken, including files that are gone. */
    bytes: "int0",
    files: "int0",
    /** The entry's. */
    account_id: "int0",
    message: "text(2000)?",
    /** 1: only its recipients see it, once they have proved their address. */
    verify: "int0",
    /** 1: the folder is shared too, so it is no drop box. */
    two_way: "int0",
    /** 1: it shares what `share_items` names. The entry is one of them, and another one when that is removed. */
    several: "int0",
    /** What visitors must give before they send files: "name", "email" or null. */
    requires: "text(8)?",
    /** 1: each sender has a folder (drop_senders). */
    sender_folders: "int0",
    /** Extensions and media types of files that it takes, separated by blanks; null: all. */
    types: "text(2200)?",
  },
  share_recipients: {
    id: "serial",
    link_id: "int",
    /** Lower case. */
    email: "text(254)",
    /** Hash of the code that was mailed last and has not been used. */
    code_hash: "text(64)?",
    code_until: "int",
    /** Wrong ones. */
    code_tries: "int",
    /** A bucket of codes is full again then (auth/address-limit.ts explains the algorithm). */
    codes_full_at: "int",
  },
  /** What visitors of shares and drop boxes did; newer ones have larger ids. */
  share_visits: {
    id: "serial",
    link_id: "int",
    /** Of a recipient who has proved it; null for others. */
    email: "text(254)?",
    /** "open", "download" or "archive". */
    action: "text(16)",
    /** Name of the file or folder. */
    name: "text(255)?",
    at: "int",
    /** Null where the settings of privacy keep none. */
    browser: "text(64)?",
    os: "text(64)?",
    /** 1: by a program, by the rule that counts human clicks. */
    automated: "int0",
  },
  /** Files and folders that are one share. Removed with the link, or the entry. */
  share_items: {
    link_id: "int",
    entry_id: "int",
  },
  /** Files in drop boxes. Removed with the file. */
  drop_files: {
    entry_id: "int",
    /** The drop box, which may be gone. */
    link_id: "int",
    /** Hash of the visitor's cookie. */
    sender: "text(64)",
    /** As the visitor gave it. */
    sender_name: "text(100)?",
    /** The name that the visitor sees; the file may be stored under another. */
    name: "text(255)",
    created_at: "int",
    /** As the visitor gave it. */
    sender_email: "text(254)?",
    /** Names of the visitor's folders around the file, joined by "/"; null without. */
    path: "text?",
  },
  /** The folders of senders in drop boxes. Removed with the folder or the link. */
  drop_senders: {
    link_id: "int",
    /** Hash of the visitor's cookie. */
    sender: "text(64)",
    folder_id: "int",
  },
  /**
   * Entries in the trash with their former places. Their row in `entries` has the parent -1 and its id as name, so no
   * path from the root leads to them. Removed with the entry.
   */
  trash: {
    entry_id: "int",
    account_id: "int",
    parent_id: "int",
    name: "text(255)",
    trashed_at: "int",
  },
  /** Locks of WebDAV clients; without a row there is none. */
  dav_locks: {
    /** Whose tree. */
    id: "int",
    /** JSON: files/dav/locks.ts. */
    content: "text",
  },
  /** What WebDAV clients store with an entry. Removed with it. */
  dav_properties: {
    /** Id of the entry. */
    id: "int",
    /** JSON: files/dav/properties.ts. */
    content: "text",
  },
} as const;
