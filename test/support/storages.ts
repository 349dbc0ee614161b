/** The storages for file tests: the default local one and, if available, the S3 server. */
export type StoragePolicy = Record<string, unknown>;

/** Names with the policy to create; null for the default policy. Objects lie below `base` and a UUID. */
export function storagesFor(base: string): [name: string, policy: StoragePolicy | null][] {
  const endpoint = process.env["WAYMARK_TEST_S3_URL"];
  const local: [string, null] = ["local", null];
  if (endpoint === undefined) return [local];
  const policy = {
    name: "bucket",
    driver_type: "s3",
    endpoint,
    bucket: process.env["WAYMARK_TEST_S3_BUCKET"],
    access_key: process.env["WAYMARK_TEST_S3_ACCESS_KEY"],
    secret_key: process.env["WAYMARK_TEST_S3_SECRET_KEY"],
    base_path: `${base}-${crypto.randomUUID()}`,
  };
  return [local, ["s3", policy]];
}
