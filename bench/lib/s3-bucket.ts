/** The bucket of scripts/services, from the output of `scripts/services env`. */
import { S3Client } from "bun";

type Environment = Readonly<Record<string, string | undefined>>;

/** Null without an endpoint. */
export function s3Settings(env: Environment) {
  const endpoint = env["WAYMARK_TEST_S3_URL"];
  const bucket = env["WAYMARK_TEST_S3_BUCKET"];
  const accessKey = env["WAYMARK_TEST_S3_ACCESS_KEY"];
  const secretKey = env["WAYMARK_TEST_S3_SECRET_KEY"];
  return endpoint && bucket && accessKey && secretKey ? { endpoint, bucket, accessKey, secretKey } : null;
}

/** The runtime's own S3 client for it. */
export function bucketOf(env: Environment): S3Client {
  const settings = s3Settings(env);
  if (settings === null) throw new Error('This needs an S3 endpoint: eval "$(scripts/services env)"');
  const { endpoint, bucket, accessKey: accessKeyId, secretKey: secretAccessKey } = settings;
  return new S3Client({ endpoint, bucket, accessKeyId, secretAccessKey, region: "us-east-1" });
}
