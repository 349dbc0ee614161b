/** The storages for file tests: the default local one and, if available, the S3 server. */
import type { DriveClient } from "./drive.ts";

export type StoragePolicy = Record<string, unknown>;

export const STORAGE_NAMES = ["local", "s3"] as const;
export type StorageName = (typeof STORAGE_NAMES)[number];

/** Names with the policy to create; null for the default policy. Objects lie below `base` and a UUID. */
export function storagesFor(base: string): [name: StorageName, policy: StoragePolicy | null][] {
  const endpoint = process.env["WAYMARK_TEST_S3_URL"];
  const local: [StorageName, null] = ["local", null];
  if (endpoint === undefined) return [local];
  const policy = {
    name: `bucket of ${base}`,
    driver_type: "s3",
    endpoint,
    bucket: process.env["WAYMARK_TEST_S3_BUCKET"],
    access_key: process.env["WAYMARK_TEST_S3_ACCESS_KEY"],
    secret_key: process.env["WAYMARK_TEST_S3_SECRET_KEY"],
    base_path: `${base}-${crypto.randomUUID()}`,
  };
  return [local, ["s3", policy]];
}

/** A new folder in the root whose files go where the policy says; null for the default policy. */
export async function createFolderOn(
  me: DriveClient,
  name: string,
  policy: StoragePolicy | null,
): Promise<number> {
  const succeed = async (method: string, path: string, body: object): Promise<number> => {
    const answer = await me.call(method, path, body);
    if (answer.status >= 300)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body.data.id;
  };
  const folder = await me.folder(name);
  if (policy === null) return folder;
  const policyId = await succeed("POST", "/admin/policies", policy);
  return succeed("PATCH", `/folders/${folder}`, { policy_id: policyId });
}
